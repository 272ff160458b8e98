package client

import (
	"time"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/encode"
	"betcode/messages"
)

// slowestClient is how long the outbox of a client may stay full while nothing is taken. Until then the client costs only the
// memory of its outbox.
const slowestClient = time.Hour

// errTooSlow ends the stream of a client that does not read.
var errTooSlow = messages.Errorf("follow session", messages.Exhausted, "nothing was read from this stream for %s", slowestClient).
	WithCode(messages.ClientTooSlow).WithHint("attach again from the last sequence you have; nothing is lost")

// watchOutbox is an effect: report with stillFull after a delay.
type watchOutbox struct{ delay time.Duration }

func (watchOutbox) Effect() {}

// stillFull reports whether anything was taken from an outbox since it became full.
type stillFull struct{ taken bool }

// watch sets the timer for an outbox that has become full.
func (s State) watch() (State, []act.Effect) {
	if s.watched || s.ended {
		return s, nil
	}
	s.watched = true
	return s, []act.Effect{watchOutbox{slowestClient}}
}

// patience ends the stream of a client whose outbox has stayed full.
func (s State) patience(m stillFull) (State, []act.Effect) {
	s.watched = false
	switch {
	case !s.full:
		return s, nil
	case m.taken:
		return s.watch()
	}
	s.ended = true
	return s, []act.Effect{dropSink{errTooSlow}, reportEnd{}}
}

// drain continues when the outbox has room again. A client that was live first gets an event that reports the lag.
func (s State) drain(m messages.OutboxDrained) (State, []act.Effect) {
	s.full = false
	var effects []act.Effect
	if s.lagging {
		s.lagging = false
		event := &pb.AgentEvent{Event: &pb.AgentEvent_Lagging{Lagging: &pb.Lagging{FromSequence: uint64(s.Cursor), Head: uint64(s.Head)}}}
		effects = append(effects, push{events: []messages.Event{encode.Event(event, s.Session, 0, m.At)}, lagging: true})
	}
	next, more := s.advance()
	return next, append(effects, more...)
}
