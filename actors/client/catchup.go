package client

import (
	"google.golang.org/protobuf/proto"

	"betcode/actors/internal/act"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// How much of the journal a client that catches up reads at once. Reads are short because a long read transaction makes the
// journal's file grow.
const (
	catchUpEvents = 256
	catchUpBytes  = 128 << 10
)

// read pushes the piece of the journal that was read, and continues.
func (s State) read(m messages.HistoryRead) (State, []act.Effect) {
	s.reading = false
	if m.Err != nil {
		s.ended = true
		return s, []act.Effect{endSink{m.Err}, reportEnd{}}
	}
	fresh := after(m.Events, s.Cursor)
	var effects []act.Effect
	switch first := firstNumbered(fresh); {
	case len(fresh) == 0 && s.Cursor < s.Head: // all of it was dropped: continue at the head
		effects = s.missing()
		s.Cursor = s.Head
	case first > s.Cursor+1: // continue at the start of the history
		effects = s.missing()
	}
	if len(fresh) > 0 {
		s.Cursor = fresh[len(fresh)-1].Seq
		effects = append(effects, push{events: fresh})
	}
	next, more := s.advance()
	return next, append(effects, more...)
}

// missing reports to the client that the history behind its cursor was dropped: it pushes the snapshot, marked as a replacement
// of history.
func (s State) missing() []act.Effect {
	return []act.Effect{push{events: Compacted(s.snapshot), gap: true, behind: s.Cursor}}
}

// Compacted returns the session's snapshot, marked as a replacement of history.
func Compacted(snapshot []messages.Event) []messages.Event {
	marked := make([]messages.Event, 0, len(snapshot))
	for _, e := range snapshot {
		var event pb.AgentEvent
		if err := proto.Unmarshal(e.Bytes, &event); err != nil || event.GetSessionInfo() == nil {
			continue
		}
		event.GetSessionInfo().IsCompacted = true
		if body, err := proto.Marshal(&event); err == nil {
			marked = append(marked, messages.Event{Bytes: body})
		}
	}
	return marked
}

// refused undoes a step that assumed that everything fits. The client lags and continues with the events that did not fit.
func (s State) refused(m pushRefused) State {
	s.live, s.full = false, true
	for _, e := range m.undone {
		switch e := e.(type) {
		case push:
			if first := firstNumbered(e.events); first > 0 {
				s.Cursor = min(s.Cursor, first-1)
			}
			if e.gap { // the next read finds the gap again, and pushes the snapshot
				s.Cursor = min(s.Cursor, e.behind)
			}
			if e.prompts {
				s.Prompts = e.events
			}
			s.lagging = s.lagging || e.lagging || e.news
			s.missed = s.missed || losable(e)
		case readLog:
			s.reading = false
		case endSink:
			s.ended = false
		}
	}
	return s
}

// advance reads on until the head is reached, then goes live.
func (s State) advance() (State, []act.Effect) {
	switch {
	case s.full || s.reading || s.live:
		return s, nil
	case s.Cursor < s.Head:
		s.reading = true
		return s, []act.Effect{readLog{s.Cursor}}
	}
	s.live = true
	var effects []act.Effect
	if len(s.Prompts) > 0 {
		effects = append(effects, push{events: s.Prompts, prompts: true})
		s.Prompts = nil
	}
	if s.missed {
		effects = append(effects, reportCaughtUp{})
		s.missed = false
	}
	next, more := s.finish()
	return next, append(effects, more...)
}

// finish ends a stream at the head if its follow policy says so.
func (s State) finish() (State, []act.Effect) {
	if !s.live || s.Cursor < s.Head || !s.followed() {
		return s, nil
	}
	s.ended = true
	return s, []act.Effect{endSink{nil}, reportEnd{}}
}

// followed reports whether a stream that has reached the head ends there.
func (s State) followed() bool {
	switch s.Follow {
	case messages.FollowReplay:
		return true
	case messages.FollowTurn:
		return s.Progress >= messages.Awaiting
	case messages.FollowAnswers:
		return s.Progress == messages.Quiescent
	case messages.FollowForever:
	}
	return false
}
