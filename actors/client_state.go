package actors

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// How much of the journal a client that catches up is read at once. Short
// reads: a long read transaction would make the journal's file grow.
const (
	catchUpEvents = 256
	catchUpBytes  = 128 << 10
)

// clientState is what one attached stream remembers: how far it has come.
//
//	            everything up to the head was pushed
//	catching up ───────────────────────────────────► live
//	     ▲                                            │
//	     └────────────────────────────────────────────┘
//	        the outbox was full, or a number is missing
//
// A lagging client is one that catches up after having been live; it is told so, as
// soon as its outbox has room, and when it is live again it is told what it may have
// missed of the events that no history has. Nothing is lost or doubled either way:
// only the number after the cursor is ever pushed. A client whose outbox stays full
// for an hour is sent away.
type clientState struct {
	session messages.SessionID
	stream  string
	follow  messages.Follow
	cursor  messages.Seq // the last number pushed
	head    messages.Seq // the last number known to be in the journal
	live    bool
	reading bool // a piece of the journal is being read
	full    bool // the outbox refused; waits for OutboxDrained
	lagging bool // it was live when the outbox refused, and was not told so
	missed  bool // events that no history has
	watched bool // a timer looks whether the outbox stays full
	ended   bool

	progress messages.Progress // of the session, as published last

	greeting []messages.Event // pushed first: the snapshot, and how things stand
	snapshot []messages.Event // that of them which is for a place where history is missing
	prompts  []messages.Event // pushed at the head: undecided prompts, marked as replays
}

// The effects of a client: hand events to the outbox; read the journal; end.
type (
	push struct {
		events  []messages.Event
		prompts bool // no history has them: they are pushed again if they do not fit
		gap     bool // they say that the history behind a number is gone, and must come before what is left
		lagging bool // they say that it lags
		news    bool // to a live client
		behind  messages.Seq
	}
	readLog     struct{ after messages.Seq }
	endSink     struct{ reason error }
	dropSink    struct{ reason error }
	sayEnded    struct{}
	sayCaughtUp struct{}
)

func (push) effect()        {}
func (readLog) effect()     {}
func (endSink) effect()     {}
func (dropSink) effect()    {}
func (sayEnded) effect()    {}
func (sayCaughtUp) effect() {}

// pushRefused tells the client that its outbox was full: nothing of a push was
// taken, and nothing that was to follow was done.
type pushRefused struct{ undone []effect }

// begin is the first step: the greeting, then history or the live events.
func (s clientState) begin() (clientState, []effect) {
	var effects []effect
	if len(s.greeting) > 0 {
		effects = append(effects, push{events: s.greeting})
		s.greeting, s.snapshot = nil, slices.Clone(s.greeting[:1]) // who else is there is not kept: they may be many
	}
	next, more := s.advance()
	return next, append(effects, more...)
}

// step takes one message and returns the next state and what to do.
func (s clientState) step(m any) (clientState, []effect) {
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
		s.follow = messages.FollowAnswers
		return s.finish()
	case stillFull:
		return s.patience(m)
	}
	return s, nil
}

// published takes news from the session. A client that catches up only notes
// the head: it will read the events from the journal.
func (s clientState) published(m messages.Published) (clientState, []effect) {
	s.head, s.progress = max(s.head, m.Head), m.Progress
	if !s.live {
		if ephemeral(m.Events) && !s.full {
			return s, []effect{push{events: m.Events}}
		}
		s.missed = s.missed || losable(push{events: m.Events})
		return s, nil
	}
	if first := firstNumbered(m.Events); first > s.cursor+1 {
		s.live = false
		return s.advance()
	}
	fresh := after(m.Events, s.cursor)
	for _, e := range fresh {
		s.cursor = max(s.cursor, e.Seq)
	}
	var effects []effect
	if len(fresh) > 0 {
		effects = append(effects, push{events: fresh, news: true})
	}
	next, more := s.finish()
	return next, append(effects, more...)
}

// read takes the next piece of the journal.
func (s clientState) read(m messages.HistoryRead) (clientState, []effect) {
	s.reading = false
	if m.Err != nil {
		s.ended = true
		return s, []effect{endSink{m.Err}, sayEnded{}}
	}
	fresh := after(m.Events, s.cursor)
	var effects []effect
	switch first := firstNumbered(fresh); {
	case len(fresh) == 0 && s.cursor < s.head: // all of it is gone: go on at the head
		effects = s.missing()
		s.cursor = s.head
	case first > s.cursor+1: // go on where history begins
		effects = s.missing()
	}
	if len(fresh) > 0 {
		s.cursor = fresh[len(fresh)-1].Seq
		effects = append(effects, push{events: fresh})
	}
	next, more := s.advance()
	return next, append(effects, more...)
}

// missing tells the client that what follows its cursor was dropped: the
// snapshot, marked as standing in place of history.
func (s clientState) missing() []effect {
	return []effect{push{events: compacted(s.snapshot), gap: true, behind: s.cursor}}
}

// compacted is the session's snapshot with is_compacted set.
func compacted(snapshot []messages.Event) []messages.Event {
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

// refused takes back what was decided as if everything had fitted. The client
// lags; it starts again from the number before the events that did not fit.
func (s clientState) refused(m pushRefused) clientState {
	s.live, s.full = false, true
	for _, e := range m.undone {
		switch e := e.(type) {
		case push:
			if first := firstNumbered(e.events); first > 0 {
				s.cursor = min(s.cursor, first-1)
			}
			if e.gap { // it is found again, and told then
				s.cursor = min(s.cursor, e.behind)
			}
			if e.prompts {
				s.prompts = e.events
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
func (s clientState) advance() (clientState, []effect) {
	switch {
	case s.full || s.reading || s.live:
		return s, nil
	case s.cursor < s.head:
		s.reading = true
		return s, []effect{readLog{s.cursor}}
	}
	s.live = true
	var effects []effect
	if len(s.prompts) > 0 {
		effects = append(effects, push{events: s.prompts, prompts: true})
		s.prompts = nil
	}
	if s.missed {
		effects = append(effects, sayCaughtUp{})
		s.missed = false
	}
	next, more := s.finish()
	return next, append(effects, more...)
}

// finish ends a stream at the head if its follow policy says so.
func (s clientState) finish() (clientState, []effect) {
	if !s.live || s.cursor < s.head || !s.followed() {
		return s, nil
	}
	s.ended = true
	return s, []effect{endSink{nil}, sayEnded{}}
}

// followed reports whether a stream that has reached the head ends there.
func (s clientState) followed() bool {
	switch s.follow {
	case messages.FollowReplay:
		return true
	case messages.FollowTurn:
		return s.progress >= messages.Awaiting
	case messages.FollowAnswers:
		return s.progress == messages.Quiescent
	case messages.FollowForever:
	}
	return false
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
