package daybudget

import (
	"time"

	"betcode/messages"
)

// Report tells what a session has consumed and decided, as its record has it. It replaces the one before from the same session.
type Report struct {
	Session messages.SessionID
	Budget  messages.Budget
	Waits   bool // work waits for the budget of the day
	Deleted bool // the session is gone; what it has consumed stays
}

// Messages to sessions.
type (
	// Changed tells every session that turns may begin now, or no longer, or that another session asks.
	Changed struct{}
	// Near tells one session to tell people that most of the budget is used.
	Near struct{ View messages.DayBudget }
	// Again asks every session for a [Report].
	Again struct{}
)

// Standing is where the day stands for one session.
type Standing struct {
	Day    string    // as 2026-11-23
	Begins time.Time // that day
	Known  bool      // the journal was read

	Setting messages.BudgetLimit // of the settings; members that are zero limit nothing
	Limit   messages.BudgetLimit // the same, or what people have raised it to for this day
	Others  messages.Spent       // consumed on this day by all other sessions
	Refused bool                 // Limit was not raised
	Asks    bool                 // this session is the one to ask
}

// Reached reports whether the limit is used when the session itself has consumed so much on this day.
func (s Standing) Reached(own messages.Spent) bool {
	return s.Limit.Level(s.Others.Plus(own)) == messages.BudgetReached
}

// With returns the standing with what this session has decided about the day: the ledger may not know it yet.
func (s Standing) With(b messages.Budget) Standing {
	if b.Day == s.Day {
		s.Limit = raise(s.Limit, s.Setting, b.DayFrom, b.DayRaised)
		s.Refused = s.Refused || !b.DayRefused.IsZero() && b.DayRefused == s.Limit
	}
	return s
}

// raise returns a limit with one raise of it. A member of a raise holds as long as the settings have what was raised.
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

// Own returns what a session has consumed on the day, the stretch of work that is under way included.
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
