package notices

import (
	"maps"
	"slices"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/notify"
	"betcode/actors/settings"
)

const (
	maxWaiting = 500              // deliveries
	maxRecent  = 1000             // delivered notices that are remembered
	repeat     = time.Minute      // an equal notice is not delivered again within it
	firstPause = 5 * time.Second  // backoff after the first failure; doubled after each further one
	longPause  = 10 * time.Minute // longest backoff
	lifetime   = 24 * time.Hour   // an older notice is dropped
	separate   = 3                // due deliveries of one channel that are delivered one by one
)

// env is the input of a step from outside.
type env struct {
	now      time.Time // local
	settings *settings.Settings
}

// state is the queue of deliveries.
//
//	raised ──► stored ──► due ──► under way ──► removed
//	                       ▲          │ failed
//	                       └──────────┘ later
type state struct {
	loaded bool
	early  []notify.Notice // raised before the files were read
	next   uint64
	queue  []delivery // rising numbers
	recent map[identity]time.Time
}

// step handles one message.
func (s state) step(e env, m any) (state, []act.Effect) {
	var effects []act.Effect
	switch m := m.(type) {
	case loaded:
		s, effects = s.begin(e, m)
	case Raise:
		if !s.loaded {
			if len(s.early) < maxWaiting {
				s.early = append(slices.Clip(s.early), m.Notice)
			}
			return s, nil
		}
		s, effects = s.raise(e, m.Notice)
	case kept:
		s.queue = slices.Clone(s.queue)
		if at := s.find(m.number); at >= 0 {
			s.queue[at].stored = true
		}
		if m.err != nil {
			effects = append(effects, complain{text: "notification is not stored and is delivered all the same", number: m.number, err: m.err})
		}
	case ended:
		s, effects = s.ended(e, m)
	case due, settings.Changed:
	default:
		return s, nil
	}
	if !s.loaded {
		return s, effects
	}
	s, more := s.deliver(e)
	return s, append(effects, more...)
}

// begin takes over the deliveries of an earlier incarnation.
func (s state) begin(e env, m loaded) (state, []act.Effect) {
	var effects []act.Effect
	s.loaded, s.queue = true, nil
	if m.err != nil {
		effects = append(effects, complain{text: "waiting notifications cannot be read", err: m.err})
	}
	for _, d := range m.left {
		d.stored, d.underWay = true, false
		s.queue, s.next = append(s.queue, d), max(s.next, d.Number)
	}
	slices.SortFunc(s.queue, func(a, b delivery) int { return int(min(max(int64(a.Number)-int64(b.Number), -1), 1)) }) //nolint:gosec // counted from 1
	early := s.early
	s.early = nil
	for _, n := range early {
		next, more := s.raise(e, n)
		s, effects = next, append(effects, more...)
	}
	return s, effects
}

// raise queues a notice for each channel.
func (s state) raise(e env, n notify.Notice) (state, []act.Effect) {
	var effects []act.Effect
	s.queue = slices.Clone(s.queue)
	for _, over := range notify.Channels(e.settings) {
		id := identify(over, n)
		if at, ok := s.recent[id]; ok && e.now.Sub(at) < repeat {
			continue
		}
		if at := s.waiting(id); at >= 0 {
			s.queue[at].Notice, s.queue[at].stored = n, false
			effects = append(effects, keep{s.queue[at]})
			continue
		}
		if len(s.queue) >= maxWaiting {
			oldest := s.queue[0]
			s.queue = slices.Delete(s.queue, 0, 1)
			effects = append(effects, forget{[]uint64{oldest.Number}}, complain{text: "notification dropped: too many wait", about: oldest.Notice})
		}
		s.next++
		d := delivery{Number: s.next, Channel: over, Notice: n, Due: e.now}
		s.queue = append(s.queue, d)
		effects = append(effects, keep{d})
	}
	return s, effects
}

// ended handles the outcome of an attempt.
func (s state) ended(e env, m ended) (state, []act.Effect) {
	var effects []act.Effect
	var gone []uint64
	s.queue, s.recent = slices.Clone(s.queue), maps.Clone(s.recent)
	for _, number := range m.numbers {
		at := s.find(number)
		if at < 0 {
			continue // it was dropped above maxWaiting
		}
		d := &s.queue[at]
		d.underWay = false
		switch {
		case m.err == nil || slices.Contains(m.stale, number):
			if m.err == nil && !slices.Contains(m.stale, number) {
				s.remember(e.now, identify(d.Channel, d.Notice))
			}
			gone = append(gone, number)
		case e.now.Sub(d.Notice.At) >= lifetime || !slices.Contains(notify.Channels(e.settings), d.Channel):
			effects = append(effects, complain{text: "notification given up", about: d.Notice, err: m.err})
			gone = append(gone, number)
		default:
			d.Attempts++
			d.Due = e.now.Add(pause(d.Attempts))
			effects = append(effects, complain{text: "notification failed and is tried again", about: d.Notice, err: m.err}, keep{*d})
		}
	}
	if len(gone) > 0 {
		s.queue = slices.DeleteFunc(s.queue, func(d delivery) bool { return slices.Contains(gone, d.Number) })
		effects = append(effects, forget{gone})
	}
	return s, effects
}
