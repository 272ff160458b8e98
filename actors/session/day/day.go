// Package day is what a session knows of the budget of the day, which all sessions share.
//
//	                Standing: what the others have consumed, and whether this session is to ask
//	ledger of       ──────────────────────────────────────────────────────────────────────────► session
//	all sessions    ◄──────────────────────────────────────────────────────────────────────────
//	                Report: what the session has consumed, and whether work waits, when that has changed
//
// What people decide is in the session's record with the day for which it holds, so that the next daemon knows it. A [Day] is a value:
// it does no I/O, and the time is that of the step. Nothing of it is durable. The session sends the reports and asks people.
package day

import (
	"time"

	"betcode/actors/daybudget"
	"betcode/actors/session/budget"
	"betcode/messages"
)

// Day is the budget of the day at a step.
type Day struct {
	daybudget.Standing

	at   time.Time        // of the step
	told daybudget.Report // the newest
}

// Begin takes what is known at the begin of a step.
func (d *Day) Begin(s daybudget.Standing, at time.Time) { d.Standing, d.at = s, at }

// Spent returns what all sessions have consumed on the day; b is of this one.
func (d *Day) Spent(b messages.Budget) messages.Spent { return d.Others.Plus(d.Own(b, d.at)) }

// Used reports whether it is known that the limit is used.
func (d *Day) Used(b messages.Budget) bool { return d.Known && d.Reached(d.Own(b, d.at)) }

// Report returns what the ledger is to be told, if that is news. A session that has consumed nothing on the day tells nothing.
func (d *Day) Report(id messages.SessionID, b messages.Budget) (daybudget.Report, bool) {
	r := of(id, b)
	if r == d.told || d.told == (daybudget.Report{}) && r.Budget.Day != d.Day && !r.Waits && r.Budget.WorkingSince.IsZero() {
		return r, false
	}
	d.told = r
	return r, true
}

// Again has the ledger told again, because it has forgotten.
func (d *Day) Again() { d.told = daybudget.Report{} }

// Last returns what the ledger is told of a session that is deleted.
func Last(id messages.SessionID, b messages.Budget) daybudget.Report {
	r := of(id, b)
	r.Deleted = true
	return r
}

// of returns what concerns the day.
func of(id messages.SessionID, b messages.Budget) daybudget.Report {
	waits := b.Held == messages.HeldByDay
	b.Limit, b.Step, b.Below, b.Near, b.Held, b.Refused = messages.BudgetLimit{}, messages.BudgetLimit{}, messages.Spent{}, false, "", false
	return daybudget.Report{Session: id, Budget: b, Waits: waits}
}

// Request asks people whether all sessions may consume more.
func (d *Day) Request(b messages.Budget) messages.PermissionRecord {
	return budget.DayRequest(d.Day, d.Limit, d.Setting, d.Spent(b))
}

// Decide takes the answer to that. It reports false for an answer that changes nothing, since the day of the question is over.
func (d *Day) Decide(b *messages.Budget, allowed bool) bool {
	if !b.DayAsks {
		return false
	}
	b.DayAsks = false
	if allowed {
		b.DayFrom, b.DayRaised = d.Setting, budget.Raised(d.Limit, d.Setting, d.Spent(*b))
	} else {
		b.DayRefused = d.Limit
	}
	d.Standing = d.With(*b)
	return true
}
