package grpcapi

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/messages"
)

// limitedAmong is how many sessions are looked at for limits of the account, those used
// last.
const limitedAmong = 1000

// limitEndOut is when a limit ends; nil if it does not hold, or nobody knows.
func limitEndOut(l messages.RateLimit, now time.Time) *timestamppb.Timestamp {
	if !l.Holds(now) {
		return nil
	}
	return timeOut(l.Until)
}

// limitsOut counts the sessions that a limit of the account holds up, and says when the
// last of these limits ends; nil if nobody knows.
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
