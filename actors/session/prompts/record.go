package prompts

import (
	"strings"
	"time"

	"betcode/messages"
)

// Every is the kind of all requests.
func Every(messages.PermissionRecord) bool { return true }

// Undecided reports whether a request waits for a decision.
func Undecided(p messages.PermissionRecord) bool { return p.Decision == messages.Undecided }

// UndecidedCall is [Undecided] for a request of the agent, not of the daemon.
func UndecidedCall(p messages.PermissionRecord) bool { return Undecided(p) && !p.Own() }

// Decided reports whether a request has a decision.
func Decided(p messages.PermissionRecord) bool { return p.Decision != messages.Undecided }

// Screened reports whether a request has been shown or decided. Until then only the agent knows of it, which asks again if
// need be.
func Screened(p messages.PermissionRecord) bool { return p.Seq != 0 || Decided(p) }

// Allows reports whether a decision lets a call run.
func Allows(d messages.Decision) bool {
	return d == messages.AllowOnce || d == messages.AllowSession || d == messages.AllowWithEdit
}

// Denies reports whether a decision forbids a call.
func Denies(d messages.Decision) bool {
	return d == messages.Deny || d == messages.DenyNoInterrupt || d == messages.DenyWithInterrupt
}

// Permits reports whether the agent is told to go on with a call.
func Permits(d messages.Decision) bool { return Allows(d) || d == messages.DecisionAnswered }

// LastSign returns when the time to answer a request began.
func LastSign(p messages.PermissionRecord) time.Time {
	if p.LastExtendedAt.After(p.ReceivedAt) {
		return p.LastExtendedAt
	}
	return p.ReceivedAt
}

// RemindersSent counts the reminders a request has had.
func RemindersSent(p messages.PermissionRecord) int {
	switch {
	case p.Reminder24hSent:
		return 2
	case p.Reminder1hSent:
		return 1
	}
	return 0
}

// Reminded marks the first n reminders as sent. The fields are called after their usual times.
func Reminded(p messages.PermissionRecord, n int) messages.PermissionRecord {
	p.Reminder1hSent, p.Reminder24hSent = n >= 1, n >= 2
	return p
}

// RequestOf returns the request that an id names: that of a question has a number behind the request, "<request>/<n>".
func RequestOf(id messages.RequestID) messages.RequestID {
	base, _, _ := strings.Cut(string(id), "/")
	return messages.RequestID(base)
}
