package socket

import (
	"sync"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
)

// batchBytes is the size at which a batch is written, if more events are available.
const batchBytes = 256 << 10

// session is one conversation for one connection.
type session struct {
	id           ref
	owner        bool // false: the connection only watches
	connection   *connection
	conversation Conversation
	done         chan struct{} // closed after the last line of the conversation was written

	mu         sync.Mutex // protects the following; also locked while lines of the session are written
	translator *translator
	replay     *replay // for an attached session, until it is live
	starting   bool    // started is not sent yet
	cursors    bool
	buffer     []byte // of run
	unaccepted int    // prompts not yet accepted by the daemon
	ended      bool   // no line follows
}

// run writes the lines of the conversation until it ends.
func (s *session) run() {
	defer close(s.done)
	for e := s.conversation.Next(true); e != nil; e = s.conversation.Next(true) {
		s.mu.Lock()
		s.connection.writeRaw(s.batch(e))
		s.mu.Unlock()
	}
	s.mu.Lock()
	ended := s.ended
	s.ended = true
	s.mu.Unlock()
	if err := s.conversation.Err(); err != nil && !ended { // the session was deleted or refused
		s.connection.release(s)
		s.connection.write(failure(s.id, err.Error()), status(s.id, statusClosed))
	}
}

// batch returns the lines of an event and of the events that are available without waiting. They
// are valid until the next call.
func (s *session) batch(e *pb.AgentEvent) []byte {
	out := s.buffer[:0]
	last := uint64(0)
	for ; e != nil; e = s.conversation.Next(false) {
		out = s.lines(out, e)
		last = max(last, e.GetSequence())
		if len(out) >= batchBytes {
			break
		}
	}
	if cap(out) <= 2*batchBytes { // free the memory of a large line
		s.buffer = out
	}
	if s.ended {
		return nil
	}
	if s.cursors && s.replay == nil && last > 0 {
		out = encode(out, cursorLine{head{s.id, "cursor"}, last})
	}
	return out
}

// lines appends the lines of an event.
func (s *session) lines(out []byte, e *pb.AgentEvent) []byte {
	if s.starting {
		s.starting = false
		out = encode(out, status(s.id, statusStarted))
	}
	if e.GetUserInput() != nil || e.GetError().GetDetails()["idempotency_key"] != "" {
		s.unaccepted = max(s.unaccepted-1, 0)
	}
	if s.askedForLock(e.GetLock()) {
		s.conversation.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Lock{Lock: &pb.InputLockAction{Action: pb.LockAction_LOCK_ACTION_RELEASE}}})
	}
	lines := s.translator.translate(e)
	if s.replay != nil {
		lines = s.replayed(e, lines)
	}
	for _, line := range lines {
		out = encode(out, line)
	}
	return out
}

// askedForLock reports whether another client asks for the input lock that the client of this session holds. Clients of this
// protocol know no lock, so the gateway releases it for them.
func (s *session) askedForLock(l *pb.LockChange) bool {
	return l.GetRequestedBy() != "" && l.GetHolder() == s.connection.client
}

// prompt sends a prompt. The daemon gets it once, even if the connection breaks.
func (s *session) prompt(text string) {
	s.mu.Lock()
	s.unaccepted++
	s.mu.Unlock()
	s.conversation.Send(input(text, uuid.NewString()))
}

// find returns the prompt with a number; nil if none waits under it.
func (s *session) find(number string) *prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.translator.requests.prompts[number]; p != nil {
		found := *p
		return &found
	}
	return nil
}

// booted reports whether the client has got the system line of the conversation.
func (s *session) booted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.translator.booted
}

// working reports whether a turn runs that does not wait for a person.
func (s *session) working() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended && len(s.translator.requests.prompts) == 0 && (s.translator.busy || s.starting || s.unaccepted > 0)
}

// end ends the lines of the session with last, unless it is nil, and returns the waiting requests.
func (s *session) end(last any) (waiting []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil
	}
	s.ended = true
	if last != nil {
		s.connection.write(last)
	}
	for _, p := range s.translator.requests.waiting() {
		waiting = append(waiting, p.request)
	}
	return waiting
}

// detach leaves the conversation, and waits until its last line is written.
func (s *session) detach() {
	s.end(nil)
	s.conversation.Close()
	<-s.done
}
