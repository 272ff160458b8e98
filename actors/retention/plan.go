package retention

import (
	"time"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/messages"
)

// limits are the limits of a session's history at present.
type limits struct {
	bytes uint64        // of events; 0 = any number
	age   time.Duration // of an event; not positive = any age
	now   time.Time
}

// A page of history bounds one read of the store.
const (
	pageEvents = 256
	pageBytes  = 128 << 10
)

// NoticeDropped is the code of the notice with which a session reports that it dropped history.
const NoticeDropped = "HISTORY_DROPPED"

// limitSlack is the part of a limit by which a session may exceed it, so that a session at its limit is not trimmed with
// every event.
const limitSlack = 8

// firstWords is how many events are read of a session within its limits. One of them is no notice of retention, unless only
// notices are left.
const firstWords = 2 * limitSlack

// look decides how much of its history a session drops. It reads that part and little more.
func (l limits) look(store Store, r *messages.SessionRecord) (trim messages.TrimHistory, due bool, err error) {
	p := &r.Past
	if p.LowWater >= r.Head {
		return trim, false, nil
	}
	first, err := store.Events(r.ID, p.LowWater, firstWords, pageBytes)
	if err != nil || len(first) == 0 {
		return trim, false, err
	}
	kept := p.Bytes - min(p.LowWaterBytes, p.Bytes)
	if l.bytes > 0 && first[0].Seq > p.LowWater+1 { // files were dropped, with an unknown part of the history
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

// ageOf returns the age of the first event that is no notice of retention. If notices counted, each would cause another.
func (l limits) ageOf(events []messages.Event) time.Duration {
	for _, e := range events {
		var event pb.AgentEvent
		if err := proto.Unmarshal(e.Bytes, &event); err != nil || event.GetNotice().GetCode() != NoticeDropped {
			return l.now.Sub(timeOf(e))
		}
	}
	return 0
}

// walk drops one event after the other until the session is within the limits.
func (l limits) walk(store Store, r *messages.SessionRecord, kept uint64, trim *messages.TrimHistory) error {
	for trim.To < r.Head {
		events, err := store.Events(r.ID, trim.To, pageEvents, pageBytes)
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

// weigh counts the bytes of a session's history.
func weigh(store Store, r *messages.SessionRecord) (bytes uint64, err error) {
	for at := r.Past.LowWater; at < r.Head; {
		events, err := store.Events(r.ID, at, pageEvents, pageBytes)
		if err != nil || len(events) == 0 {
			return bytes, err
		}
		for _, e := range events {
			bytes, at = bytes+uint64(len(e.Bytes)), e.Seq
		}
	}
	return bytes, nil
}

// timeOf returns the time of an event; zero if it has no timestamp.
func timeOf(e messages.Event) time.Time {
	var event pb.AgentEvent
	if err := proto.Unmarshal(e.Bytes, &event); err != nil || event.GetTimestamp() == nil {
		return time.Time{}
	}
	return event.GetTimestamp().AsTime()
}
