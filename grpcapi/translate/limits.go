package translate

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/messages"
)

// limitEndOut returns when a limit ends; nil if there is none or its end is unknown.
func limitEndOut(l messages.RateLimit, now time.Time) *timestamppb.Timestamp {
	if !l.Holds(now) {
		return nil
	}
	return TimeOut(l.Until)
}

// LimitsOut counts the sessions that wait for a limit of the account, and returns when the last
// of these limits and of those of the fleet ends; nil if that is unknown.
func LimitsOut(sessions []messages.SessionRecord, q messages.SlotQueue, now time.Time) (limited uint32, until *timestamppb.Timestamp) {
	last := LastLimit(q.Limits)
	waiting := map[messages.SessionID]bool{}
	for _, w := range q.Waiting {
		waiting[w.Session] = w.Reason == messages.SlotRateLimited
	}
	for _, s := range sessions {
		if !s.RateLimit.Holds(now) {
			if waiting[s.ID] {
				limited++
			}
			continue
		}
		limited++
		if s.RateLimit.Until.After(last) {
			last = s.RateLimit.Until
		}
	}
	return limited, TimeOut(last)
}

// LastLimit returns when the last limit of an account ends; zero if there is none.
func LastLimit(limits []messages.FleetLimit) (last time.Time) {
	for _, l := range limits {
		if l.Until.After(last) {
			last = l.Until
		}
	}
	return last
}
