package grpcapi

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/messages"
)

// limitedAmong is how many sessions, most recently used first, are checked for limits of the
// account.
const limitedAmong = 1000

// limitEndOut returns when a limit ends; nil if there is none or its end is unknown.
func limitEndOut(l messages.RateLimit, now time.Time) *timestamppb.Timestamp {
	if !l.Holds(now) {
		return nil
	}
	return timeOut(l.Until)
}

// limitsOut counts the sessions that wait for a limit of the account, and returns when the last
// of these limits and of those of the fleet ends; nil if that is unknown.
func limitsOut(sessions []messages.SessionRecord, q messages.SlotQueue, now time.Time) (limited uint32, until *timestamppb.Timestamp) {
	last := lastLimit(q.Limits)
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
	return limited, timeOut(last)
}

// lastLimit returns when the last limit of an account ends; zero if there is none.
func lastLimit(limits []messages.FleetLimit) (last time.Time) {
	for _, l := range limits {
		if l.Until.After(last) {
			last = l.Until
		}
	}
	return last
}
