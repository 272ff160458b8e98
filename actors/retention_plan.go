package actors

import (
	"time"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/messages"
)

// historyLimits say how much of its history a session may keep, as of now.
type historyLimits struct {
	bytes uint64        // of events; 0 = any number
	age   time.Duration // of an event; not positive = any age
	now   time.Time
}

// limitSlack is the part of a limit by which it may be exceeded: so a session that
// stays at its limit is not trimmed with every word it says.
const limitSlack = 8

// firstWords is how many events are looked at of a session within its limits: one
// that says something is among them, unless nothing but notices is left.
const firstWords = 2 * limitSlack

// look decides how far the history of a session is to be given up. It reads what
// is given up, and hardly more.
func (l historyLimits) look(store Store, r *messages.SessionRecord) (trim messages.TrimHistory, due bool, err error) {
	p := &r.Past
	if p.LowWater >= r.Head {
		return trim, false, nil
	}
	first, err := store.Events(r.ID, p.LowWater, firstWords, catchUpBytes)
	if err != nil || len(first) == 0 {
		return trim, false, err
	}
	kept := p.Bytes - min(p.LowWaterBytes, p.Bytes)
	if l.bytes > 0 && first[0].Seq > p.LowWater+1 { // files were dropped, with nobody knows how much of it
		if kept, err = weigh(store, r); err != nil {
			return trim, false, err
		}
	}
	tooMuch := l.bytes > 0 && kept > l.bytes+l.bytes/limitSlack
	tooOld := l.age > 0 && l.ageOf(first) > l.age+l.age/limitSlack
	switch {
	case tooMuch:
		trim.Reason = messages.RetainedBytes
	case tooOld:
		trim.Reason = messages.RetainedAge
	default:
		return trim, false, nil
	}
	trim.Session, trim.To = r.ID, p.LowWater
	err = l.walk(store, r, kept, &trim)
	return trim, err == nil && trim.To > p.LowWater, err
}

// ageOf is the age of the first event that is more than the retention's own notice:
// else each notice would be the cause of another.
func (l historyLimits) ageOf(events []messages.Event) time.Duration {
	for _, e := range events {
		var event pb.AgentEvent
		if err := proto.Unmarshal(e.Bytes, &event); err != nil || event.GetNotice().GetCode() != historyDropped {
			return l.now.Sub(timeOf(e))
		}
	}
	return 0
}

// walk gives up one event after the other until the limits are kept.
func (l historyLimits) walk(store Store, r *messages.SessionRecord, kept uint64, trim *messages.TrimHistory) error {
	for trim.To < r.Head {
		events, err := store.Events(r.ID, trim.To, catchUpEvents, catchUpBytes)
		if err != nil {
			return err
		}
		for _, e := range events {
			tooMuch := l.bytes > 0 && kept > l.bytes
			tooOld := l.age > 0 && l.now.Sub(timeOf(e)) > l.age
			if !tooMuch && !tooOld || e.Seq > r.Head {
				trim.Bytes = r.Past.Bytes - min(kept, r.Past.Bytes)
				return nil
			}
			kept -= min(uint64(len(e.Bytes)), kept)
			trim.To = e.Seq
		}
		if len(events) == 0 {
			break
		}
	}
	trim.Bytes = r.Past.Bytes - min(kept, r.Past.Bytes)
	return nil
}

// weigh counts what is left of a session's history.
func weigh(store Store, r *messages.SessionRecord) (bytes uint64, err error) {
	for at := r.Past.LowWater; at < r.Head; {
		events, err := store.Events(r.ID, at, catchUpEvents, catchUpBytes)
		if err != nil || len(events) == 0 {
			return bytes, err
		}
		for _, e := range events {
			bytes, at = bytes+uint64(len(e.Bytes)), e.Seq
		}
	}
	return bytes, nil
}

// timeOf is when an event happened; one that does not say is as old as can be.
func timeOf(e messages.Event) time.Time {
	var event pb.AgentEvent
	if err := proto.Unmarshal(e.Bytes, &event); err != nil || event.GetTimestamp() == nil {
		return time.Time{}
	}
	return event.GetTimestamp().AsTime()
}
