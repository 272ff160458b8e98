package subagent

import (
	"time"

	"betcode/messages"
)

// Verdict is what a subagent's own bounds say about a call that no rule and no grant decides.
type Verdict uint8

// The verdicts.
const (
	AskPerson Verdict = iota
	Approve           // without a person
	Forbid            // the subagent does not have the tool
	Late              // the time for approvals is over
	Exceeds           // above the rate: deny it
	Wait              // above the rate: decide again at the next minute
)

// AutoApproves reports whether calls are approved without a person.
func AutoApproves(r messages.SubagentRecord) bool {
	return r.Auto.Given && !r.Auto.Revoked && !r.Status.Final()
}

// Restricted reports whether the subagent has only the tools that it was given. One that is approved without a person, or was,
// may use others: a person is asked about them.
func Restricted(r messages.SubagentRecord) bool {
	return len(r.Tools) > 0 && !r.Auto.Given && !r.Status.Final()
}

// Judge says what becomes of a call, and for [Wait] when it is judged again. has says whether the subagent's tools cover it.
func Judge(r messages.SubagentRecord, has bool, now time.Time) (Verdict, time.Time) {
	switch {
	case Restricted(r) && !has:
		return Forbid, time.Time{}
	case !AutoApproves(r) || !has:
		return AskPerson, time.Time{}
	case !now.Before(r.Auto.Until):
		return Late, time.Time{}
	}
	if minute(r, now) > r.Auto.Minute || r.Auto.Used < r.Auto.PerMinute {
		return Approve, time.Time{}
	}
	if r.Auto.Queue {
		return Wait, r.Auto.Since.Add(time.Duration(minute(r, now)) * time.Minute) //nolint:gosec // minutes of at most a day
	}
	return Exceeds, time.Time{}
}

// Approved is the record after one more approval.
func Approved(r messages.SubagentRecord, now time.Time) messages.SubagentRecord {
	if m := minute(r, now); m > r.Auto.Minute {
		r.Auto.Minute, r.Auto.Used = m, 0
	}
	r.Auto.Used++
	r.AutoApproved++
	return r
}

// minute counts the minutes since the spawn, from 1. A clock that was set back does not begin one again.
func minute(r messages.SubagentRecord, now time.Time) uint64 {
	passed := max(0, now.Sub(r.Auto.Since)) / time.Minute
	return max(r.Auto.Minute, uint64(passed)+1)
}

// Revoked is the record without auto-approve.
func Revoked(r messages.SubagentRecord, by messages.ClientID, why string) messages.SubagentRecord {
	r.Auto.Revoked, r.Auto.RevokedBy, r.Auto.Why = true, by, why
	return r
}
