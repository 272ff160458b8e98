package client

import (
	"slices"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// State is the position of one attached stream in the history.
//
//	            everything up to the head was pushed
//	catching up ───────────────────────────────────► live
//	     ▲                                            │
//	     └────────────────────────────────────────────┘
//	        the outbox was full, or a number is missing
//
// A client that catches up after having been live lags. It gets a Lagging event as soon as its outbox has room. When it is live
// again and may have missed events that are not journaled, the session sends it the present state. No journaled event is lost or
// doubled: only the number after the cursor is ever pushed. The stream of a client whose outbox stays full for an hour ends.
type State struct {
	Session messages.SessionID
	Stream  string
	Follow  messages.Follow
	Cursor  messages.Seq // the last number pushed
	Head    messages.Seq // the last number known to be journaled

	Progress messages.Progress // of the session, as published last

	Greeting []messages.Event // pushed first: the snapshot, and the present state
	Prompts  []messages.Event // pushed at the head: undecided prompts, marked as replays

	live     bool
	reading  bool // a piece of the journal is being read
	full     bool // the outbox refused a push; waits for OutboxDrained
	lagging  bool // it was live when the outbox refused a push, and the Lagging event is due
	missed   bool // events that are not journaled were lost
	watched  bool // a timer runs, after which the actor checks a full outbox again
	ended    bool
	snapshot []messages.Event // the part of the greeting that replaces missing history
}

// The effects of a client: push events into the outbox, read the journal, end the stream, report to the session.
type (
	push struct {
		events  []messages.Event
		prompts bool // undecided prompts, which are not journaled: they are pushed again if they do not fit
		gap     bool // the snapshot in place of dropped history, which must precede the rest
		lagging bool // a Lagging event
		news    bool // for a live client
		behind  messages.Seq
	}
	readLog        struct{ after messages.Seq }
	endSink        struct{ reason error }
	dropSink       struct{ reason error }
	reportEnd      struct{}
	reportCaughtUp struct{}
)

func (push) Effect()           {}
func (readLog) Effect()        {}
func (endSink) Effect()        {}
func (dropSink) Effect()       {}
func (reportEnd) Effect()      {}
func (reportCaughtUp) Effect() {}

// pushRefused reports that the outbox was full: it took nothing of a push, and no later effect was performed.
type pushRefused struct{ undone []act.Effect }

// begin is the first step: the greeting, then history or the live events.
func (s State) begin() (State, []act.Effect) {
	var effects []act.Effect
	if len(s.Greeting) > 0 {
		effects = append(effects, push{events: s.Greeting})
		s.Greeting, s.snapshot = nil, slices.Clone(s.Greeting[:1]) // the other streams are not kept: they may be many
	}
	next, more := s.advance()
	return next, append(effects, more...)
}

// step takes one message and returns the next state and what to do.
func (s State) step(m any) (State, []act.Effect) {
	if m, ok := m.(pushRefused); ok {
		return s.refused(m).watch()
	}
	if s.ended {
		return s, nil
	}
	switch m := m.(type) {
	case messages.Published:
		return s.published(m)
	case messages.HistoryRead:
		return s.read(m)
	case messages.OutboxDrained:
		return s.drain(m)
	case messages.Finish:
		s.Follow = messages.FollowAnswers
		return s.finish()
	case stillFull:
		return s.patience(m)
	}
	return s, nil
}

// published takes events from the session. A client that catches up only updates the head, and reads the events from the
// journal.
func (s State) published(m messages.Published) (State, []act.Effect) {
	s.Head, s.Progress = max(s.Head, m.Head), m.Progress
	if !s.live {
		if ephemeral(m.Events) && !s.full {
			return s, []act.Effect{push{events: m.Events}}
		}
		s.missed = s.missed || losable(push{events: m.Events})
		return s, nil
	}
	if first := firstNumbered(m.Events); first > s.Cursor+1 {
		s.live = false
		return s.advance()
	}
	fresh := after(m.Events, s.Cursor)
	for _, e := range fresh {
		s.Cursor = max(s.Cursor, e.Seq)
	}
	var effects []act.Effect
	if len(fresh) > 0 {
		effects = append(effects, push{events: fresh, news: true})
	}
	next, more := s.finish()
	return next, append(effects, more...)
}

// losable reports whether a push holds events that are lost if it does not fit.
func losable(e push) bool {
	return !e.prompts && !e.gap && !e.lagging && slices.ContainsFunc(e.events, func(e messages.Event) bool { return e.Seq == 0 })
}

func ephemeral(events []messages.Event) bool {
	return len(events) > 0 && firstNumbered(events) == 0
}

// firstNumbered returns the first journaled number among events, 0 if none is.
func firstNumbered(events []messages.Event) messages.Seq {
	for _, e := range events {
		if e.Seq > 0 {
			return e.Seq
		}
	}
	return 0
}

// after returns the events behind cursor, and those without a number.
func after(events []messages.Event, cursor messages.Seq) []messages.Event {
	if first := firstNumbered(events); first == 0 || first > cursor {
		return events
	}
	var fresh []messages.Event
	for _, e := range events {
		if e.Seq == 0 || e.Seq > cursor {
			fresh = append(fresh, e)
		}
	}
	return fresh
}
