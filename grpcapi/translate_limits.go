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
// of these limits ends; nil if that is unknown.
func limitsOut(sessions []messages.SessionRecord, now time.Time) (limited uint32, until *timestamppb.Timestamp) {
	var last time.Time
	for _, s := range sessions {
		if !s.RateLimit.Holds(now) {
			continue
		}
		limited++
		if s.RateLimit.Until.After(last) {
			last = s.RateLimit.Until
		}
	}
	return limited, timeOut(last)
}
