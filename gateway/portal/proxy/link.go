package proxy

import (
	"fmt"

	"betcode/gateway/portal/lines"
	"betcode/gateway/portal/requests"
	"betcode/gateway/portal/upload"
	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

const (
	// agentType is the kind of agent that this daemon runs.
	agentType = "claude"
	// maxLine bounds a line, in bytes: backends end the connection over a frame of 16 MiB.
	maxLine = 12 << 20
	// maxTurns bounds the ended turns whose lines the backend has not acknowledged.
	maxTurns = 1024
)

// link is one connection to the backend. Its methods are its steps: they do no I/O, and return what
// is to be done, in order.
//
//	registering ── RegisterAck ──► replaying ── the session's head ──► live
//
// Nothing counts before RegisterAck. Requests are shown when the link is live: those of the past are
// decided.
type link struct {
	Config
	saved Checkpoint
	dirty bool // saved is to be made durable soon

	registered bool
	live       bool
	head       uint64 // the past ends here

	writer *lines.Writer
	book   requests.Book
	last   uint64 // number of the newest line, sent or not
	sent   uint64 // number of the newest line that was sent
	turns  []turn

	early  []wire.PermissionResponse // answers to requests that this connection has not heard of
	seated int                       // seconds since it is live

	inputs  []*input
	branch  string // as the backend knows it
	updated bool   // the backend has got a SessionUpdate
	upload  *upload.File

	out []effect
}

// turn is an ended turn, at which a later connection may begin.
type turn struct {
	after, last      uint64 // its last event, the number of its last line
	model, directory string
}

func newLink(c Config, saved Checkpoint, found Session) *link {
	l := &link{Config: c, saved: saved, head: found.Head, live: found.Head <= max(saved.After, found.Before), writer: lines.New(c.Session)}
	l.writer.Describe(found.Model, found.Directory)
	if saved.Model != "" || saved.Directory != "" {
		l.writer.Describe(saved.Model, saved.Directory)
	}
	return l
}

func (l *link) do(e effect) { l.out = append(l.out, e) }

// say sends a message if the backend's generation has it.
func (l *link) say(m wire.Message) {
	if wire.Knows(l.Dialect, wire.FromProxy, m) {
		l.do(say{m})
	}
}

// note tells people at the portal something that is not part of the conversation.
func (l *link) note(format string, args ...any) {
	l.say(wire.ClaudeOutput{Content: lines.Note(fmt.Sprintf(format, args...)), AgentType: agentType})
}

// take returns the effects of a step.
func (l *link) take() []effect {
	out := l.out
	l.out = nil
	return out
}

// event applies an event of the session.
func (l *link) event(e *pb.AgentEvent) []effect {
	if e.GetVolatile() {
		return nil // it comes again when it is durable
	}
	if info := e.GetSessionInfo(); info != nil && e.GetSequence() == 0 && l.restored(info) {
		return l.take()
	}
	sequence := e.GetSequence()
	all := l.writer.Lines(e)
	for i, line := range all {
		l.output(l.saved.Number(sequence, i), line.JSON)
	}
	if r := l.book.Event(e); r != nil && l.tells(r) {
		if sequence > 0 {
			l.output(l.saved.Number(sequence, len(all)), lines.Note(r.Verdict()))
		} else {
			l.note("%s", r.Verdict())
		}
	}
	switch v := e.GetEvent().(type) {
	case *pb.AgentEvent_UserInput:
		if sequence > 0 {
			l.accepted(v.UserInput.GetIdempotencyKey())
		}
	case *pb.AgentEvent_Error:
		if sequence == 0 {
			l.failed(v.Error)
		}
	case *pb.AgentEvent_TurnComplete:
		l.turnEnded(sequence)
	}
	if sequence >= l.head && sequence > 0 {
		l.live = true
	}
	l.show()
	return l.take()
}

// restored handles the snapshot with which a stream begins. It reports whether the journal is
// another one, so that the stream has to begin anew.
func (l *link) restored(info *pb.SessionInfo) bool {
	switch {
	case l.saved.Lineage == "":
		l.saved.Lineage, l.dirty = info.GetLineage(), true
	case info.GetLineage() != "" && info.GetLineage() != l.saved.Lineage:
		l.saved.restore(info.GetLineage(), info.GetHead())
		l.do(save{})
		l.do(leave{outcome{err: ErrRestored, now: true}})
		return true
	}
	if info.GetIsCompacted() {
		l.note("Older lines of this session were compacted before this portal had them.")
	}
	return false
}

// output sends a line, unless the backend has it.
func (l *link) output(number uint64, content wire.Raw) {
	l.last = number
	if number <= l.saved.Acked {
		return
	}
	if number > l.saved.Reserved {
		l.saved.Reserved = number + reservation
		l.do(save{})
	}
	if len(content) > maxLine {
		content = lines.Note(fmt.Sprintf("A line of %d MiB is left out.", len(content)>>20))
	}
	l.sent = number
	l.say(wire.SequencedOutput{Seq: number, Content: content, AgentType: agentType})
}

// tells reports whether people at the portal are told how a request was decided: they know their
// own answers, and never saw what a rule has decided.
func (l *link) tells(r *requests.Resolved) bool {
	return r.GetReason() == "expired" || r.GetReason() == "client" && r.GetResolvedBy() != l.Client
}

// turnEnded notes that a later connection may begin here: no line is open, and no request whose
// decision makes a line.
func (l *link) turnEnded(sequence uint64) {
	if sequence > l.saved.After && l.book.Waiting() == 0 {
		model, directory := l.writer.Described()
		next := turn{sequence, l.last, model, directory}
		if len(l.turns) < maxTurns {
			l.turns = append(l.turns, next)
		} else {
			l.turns[maxTurns-1] = next
		}
		l.advance()
	}
	if l.live {
		l.do(lookUp{})
	}
}

// acknowledged applies an OutputAck. A number that was not sent does not count.
func (l *link) acknowledged(number uint64) {
	if number = min(number, l.sent); number > l.saved.Acked {
		l.saved.Acked, l.dirty = number, true
		l.advance()
	}
}

// advance moves the place at which the next connection begins over turns that are acknowledged.
func (l *link) advance() {
	for len(l.turns) > 0 && l.turns[0].last <= l.saved.Acked {
		t := l.turns[0]
		l.saved.After, l.saved.Model, l.saved.Directory, l.dirty = t.after, t.model, t.directory, true
		l.turns = l.turns[1:]
	}
}

// show shows the request that waits longest, if the backend has none: it keeps one.
func (l *link) show() {
	if !l.live || l.ReadOnly {
		return
	}
	l.answerEarly()
	if r := l.book.Next(); r != nil {
		m := *r
		m.ToolName = clip(m.ToolName, maxName)
		l.say(m)
	}
}

// tick is called each second.
func (l *link) tick() []effect {
	if !l.registered {
		return nil
	}
	if l.Dialect > wire.G1 { // those of G1 answer each other without end
		l.say(wire.Heartbeat{})
	}
	l.retry()
	l.settle()
	if l.dirty {
		l.do(save{})
	}
	return l.take()
}

// branchIs tells the backend the branch of the session's directory; empty if there is none.
func (l *link) branchIs(name string) []effect {
	if l.registered && (name != l.branch || !l.updated) {
		l.branch, l.updated = name, true
		m := wire.SessionUpdate{SessionID: wire.UUID(l.Session)}
		if name != "" {
			m.GitBranch = &name
		}
		l.say(m)
	}
	return l.take()
}
