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
	// agentType is the kind of this daemon's agents.
	agentType = "claude"
	// maxLine bounds a line, in bytes, since backends end the connection on a frame of 16 MiB.
	maxLine = 12 << 20
	// maxTurns bounds the ended turns with unacknowledged lines.
	maxTurns = 1024
)

// link is the protocol state of one connection to the backend. Its methods are steps: they do no
// I/O, and return effects in order.
//
//	registering ── RegisterAck ──► replaying ── the session's head ──► live
//
// Frames before RegisterAck are ignored. Requests are shown only when the link is live, since those
// of the history may be decided.
type link struct {
	Config
	saved Checkpoint
	dirty bool // saved must be made durable soon

	registered bool
	live       bool
	head       uint64 // end of the history

	writer *lines.Writer
	queue  requests.Queue
	last   uint64 // number of the newest line, sent or not
	sent   uint64 // number of the newest line that was sent
	turns  []turn

	early  []wire.PermissionResponse // answers to requests that have not arrived yet
	seated int                       // seconds since the link became live

	inputs  []*input
	branch  string // as last sent to the backend
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

// note shows people at the portal a text that is not part of the conversation.
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
		return nil // it is sent again when it is durable
	}
	if info := e.GetSessionInfo(); info != nil && e.GetSequence() == 0 && l.restored(info) {
		return l.take()
	}
	sequence := e.GetSequence()
	all := l.writer.Lines(e)
	for i, line := range all {
		l.output(l.saved.Number(sequence, i), line.JSON)
	}
	if r := l.queue.Event(e); r != nil && l.announces(r) {
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

// restored handles the snapshot at the beginning of a stream. It reports whether the journal has
// changed, so that the stream must be opened again.
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

// announces reports whether people at the portal get a note about a decision. They know their own
// answers, and have not seen requests that a rule decided.
func (l *link) announces(r *requests.Resolved) bool {
	return r.GetReason() == "expired" || r.GetReason() == "client" && r.GetResolvedBy() != l.Client
}

// turnEnded records a position at which a later connection may begin: no line is open, and no
// request waits whose decision becomes a line.
func (l *link) turnEnded(sequence uint64) {
	if sequence > l.saved.After && l.queue.Waiting() == 0 {
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

// acknowledged applies an OutputAck. It ignores numbers above the last sent one.
func (l *link) acknowledged(number uint64) {
	if number = min(number, l.sent); number > l.saved.Acked {
		l.saved.Acked, l.dirty = number, true
		l.advance()
	}
}

// advance moves the start of the next connection past acknowledged turns.
func (l *link) advance() {
	for len(l.turns) > 0 && l.turns[0].last <= l.saved.Acked {
		t := l.turns[0]
		l.saved.After, l.saved.Model, l.saved.Directory, l.dirty = t.after, t.model, t.directory, true
		l.turns = l.turns[1:]
	}
}

// show shows the oldest waiting request, if the backend has none, since it keeps only one.
func (l *link) show() {
	if !l.live || l.ReadOnly {
		return
	}
	l.answerEarly()
	if r := l.queue.Next(); r != nil {
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
	if l.Dialect > wire.G1 { // peers of G1 would answer each other without end
		l.say(wire.Heartbeat{})
	}
	l.retry()
	l.settle()
	if l.dirty {
		l.do(save{})
	}
	return l.take()
}

// branchIs sends the branch of the session's directory to the backend; empty if there is none.
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
