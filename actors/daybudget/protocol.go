package daybudget

import (
	"time"

	"betcode/messages"
)

// Report has the consumption and decisions of a session, from its record. It replaces the session's earlier reports.
type Report struct {
	Session messages.SessionID
	Budget  messages.Budget
	Waits   bool // work waits for the budget of the day
	Deleted bool // the session is deleted; its consumption counts on
}

// Messages to sessions.
type (
	// Changed reports to every session that turns may begin, or may not, or that another session asks.
	Changed struct{}
	// Near asks one session to report to people that most of the budget is used.
	Near struct{ View messages.DayBudget }
	// Again asks every session for a [Report].
	Again struct{}
)

// Standing is the state of the day for one session.
type Standing struct {
	Day    string    // as 2026-11-23
	Begins time.Time // start of the day
	Known  bool      // the journal was read

	Setting messages.BudgetLimit // of the settings; members that are zero limit nothing
	Limit   messages.BudgetLimit // Setting, or the limit to which people have raised it for this day
	Others  messages.Spent       // consumed on this day by all other sessions
	Refused bool                 // people refused to raise Limit
	Asks    bool                 // this session is the one to ask
}

// Reached reports whether the limit is used up if the session itself has consumed own on this day.
func (s Standing) Reached(own messages.Spent) bool {
	return s.Limit.Level(s.Others.Plus(own)) == messages.BudgetReached
}

// With returns the standing with this session's own decision about the day, which the ledger may not have yet.
func (s Standing) With(b messages.Budget) Standing {
	if b.Day == s.Day {
		s.Limit = raise(s.Limit, s.Setting, b.DayFrom, b.DayRaised)
		s.Refused = s.Refused || !b.DayRefused.IsZero() && b.DayRefused == s.Limit
	}
	return s
}

// raise returns a limit with one raise of it. A member of a raise is effective as long as the settings have the value that was raised.
func raise(now, setting, from, raised messages.BudgetLimit) messages.BudgetLimit {
	return messages.BudgetLimit{
		Micros: raisedTo(now.Micros, setting.Micros, from.Micros, raised.Micros),
		Tokens: raisedTo(now.Tokens, setting.Tokens, from.Tokens, raised.Tokens),
		Work:   raisedTo(now.Work, setting.Work, from.Work, raised.Work),
	}
}

func raisedTo[N uint64 | time.Duration](now, setting, from, raised N) N {
	if setting == 0 || from != setting {
		return now
	}
	return max(now, raised)
}

// Unsure reports whether turns have to wait until the journal was read.
func (s Standing) Unsure() bool { return !s.Known && !s.Setting.IsZero() }

// Own returns the consumption of a session on the day, with the stretch of work that is under way.
func (s Standing) Own(b messages.Budget, now time.Time) messages.Spent {
	own := b.OfDay(s.Day)
	if since := laterOf(b.WorkingSince, s.Begins); !b.WorkingSince.IsZero() {
		own.Work += max(now.Sub(since), 0)
	}
	return own
}

func laterOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
