package actors

import (
	"time"

	pb "betcode/proto/betcode/v1"

	"betcode/messages"
)

// slowestClient is how long the outbox of a client may stay full without anything being
// taken. Until then such a client costs what its outbox holds, and nothing more.
const slowestClient = time.Hour

// errTooSlow ends the stream of a client that does not read.
var errTooSlow = messages.Errorf("follow session", messages.Exhausted, "nothing was read from this stream for %s", slowestClient).
	WithCode(messages.ClientTooSlow).WithHint("attach again from the last sequence you have; nothing is lost")

// watchOutbox has the client told after a while whether anything was taken meanwhile.
type watchOutbox struct{ delay time.Duration }

func (watchOutbox) effect() {}

// stillFull tells whether anything was taken from an outbox that had become full. Sent
// by the client itself.
type stillFull struct{ taken bool }

// watch looks after an outbox that has become full.
func (s clientState) watch() (clientState, []effect) {
	if s.watched || s.ended {
		return s, nil
	}
	s.watched = true
	return s, []effect{watchOutbox{slowestClient}}
}

// patience ends with a client whose outbox has stayed full.
func (s clientState) patience(m stillFull) (clientState, []effect) {
	s.watched = false
	switch {
	case !s.full:
		return s, nil
	case m.taken:
		return s.watch()
	}
	s.ended = true
	return s, []effect{dropSink{errTooSlow}, sayEnded{}}
}

// drain goes on when the outbox has room again. A client that was live is told first
// that it lags.
func (s clientState) drain(m messages.OutboxDrained) (clientState, []effect) {
	s.full = false
	var effects []effect
	if s.lagging {
		s.lagging = false
		event := &pb.AgentEvent{Event: &pb.AgentEvent_Lagging{Lagging: &pb.Lagging{FromSequence: uint64(s.cursor), Head: uint64(s.head)}}}
		effects = append(effects, push{events: []messages.Event{seal(event, s.session, 0, m.At)}, lagging: true})
	}
	next, more := s.advance()
	return next, append(effects, more...)
}
