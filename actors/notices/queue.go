package notices

import (
	"maps"
	"slices"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/notify"
)

// identity distinguishes notices.
type identity struct {
	channel               notify.Channel
	session, code, detail string
}

func identify(over notify.Channel, n notify.Notice) identity {
	detail := string(n.Request()) + "/" + n.Details["age"]
	if detail == "/" {
		detail = n.Message
	}
	return identity{over, string(n.Session), n.Code, detail}
}

// waiting returns the place of a delivery of an equal notice that is not under way; -1 if there is none.
func (s state) waiting(id identity) int {
	return slices.IndexFunc(s.queue, func(d delivery) bool { return !d.underWay && identify(d.Channel, d.Notice) == id })
}

func (s state) find(number uint64) int {
	return slices.IndexFunc(s.queue, func(d delivery) bool { return d.Number == number })
}

// remember records that a notice has arrived. It drops entries older than repeat, and all entries if maxRecent remain.
func (s *state) remember(now time.Time, id identity) {
	maps.DeleteFunc(s.recent, func(_ identity, at time.Time) bool { return now.Sub(at) >= repeat })
	if s.recent == nil || len(s.recent) >= maxRecent {
		s.recent = map[identity]time.Time{}
	}
	s.recent[id] = now
}

// pause returns the backoff after so many failures.
func pause(attempts int) time.Duration {
	d := firstPause
	for range attempts - 1 {
		if d *= 2; d >= longPause {
			return longPause
		}
	}
	return d
}

// deliver starts the deliveries that are due, at most one attempt for each channel, and sets the timer for the rest.
func (s state) deliver(e env) (state, []act.Effect) {
	if until, quiet := e.settings.QuietHours.End(e.now); quiet {
		if len(s.queue) == 0 {
			return s, nil
		}
		return s, []act.Effect{wake{until.Sub(e.now)}}
	}
	var effects []act.Effect
	s.queue = slices.Clone(s.queue)
	var next time.Time
	for _, over := range []notify.Channel{notify.Exec, notify.Webhook, notify.Ntfy} {
		batch, later := s.ready(e.now, over)
		if !later.IsZero() && (next.IsZero() || later.Before(next)) {
			next = later
		}
		if len(batch) == 0 {
			continue
		}
		a := attempt{channel: over}
		for _, at := range batch {
			s.queue[at].underWay = true
			a.batch = append(a.batch, s.queue[at])
		}
		effects = append(effects, a)
	}
	if !next.IsZero() {
		effects = append(effects, wake{next.Sub(e.now)})
	}
	return s, effects
}

// ready returns the places of the deliveries of a channel that are to be tried together, and when the next one is due.
// Nothing is ready while an attempt of the channel is under way; its end calls deliver again.
func (s state) ready(now time.Time, over notify.Channel) (batch []int, later time.Time) {
	for at, d := range s.queue {
		switch {
		case d.Channel != over || !d.stored:
		case d.underWay:
			return nil, time.Time{}
		case d.Due.After(now):
			if later.IsZero() || d.Due.Before(later) {
				later = d.Due
			}
		default:
			batch = append(batch, at)
		}
	}
	if len(batch) <= separate && len(batch) > 0 {
		batch = batch[:1]
	}
	return batch, later
}
