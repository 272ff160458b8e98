package messages

import (
	"math"
	"time"
)

// Spent is the consumption of turns. Its fields are integers, so that sums do not depend on the order of turns.
type Spent struct {
	Micros  uint64        // cost as the agent reports it, in millionths of a US dollar
	Tokens  uint64        // sent to the model, written by it, and written to the cache; reads from the cache do not count
	Work    time.Duration // working time of turns, without the time in which the agent waits for a person
	Turns   uint32        // that have ended with a result
	Unknown uint32        // turns, or parts of turns interrupted by an exit, whose cost the agent has not reported
}

// Plus returns the sum of both.
func (s Spent) Plus(o Spent) Spent {
	return Spent{
		Micros: s.Micros + min(o.Micros, math.MaxUint64-s.Micros), Tokens: s.Tokens + min(o.Tokens, math.MaxUint64-s.Tokens),
		Work: s.Work + min(o.Work, math.MaxInt64-s.Work), Turns: s.Turns + min(o.Turns, math.MaxUint32-s.Turns),
		Unknown: s.Unknown + min(o.Unknown, math.MaxUint32-s.Unknown),
	}
}

// Max returns the larger of both, member by member.
func (s Spent) Max(o Spent) Spent {
	return Spent{
		Micros: max(s.Micros, o.Micros), Tokens: max(s.Tokens, o.Tokens), Work: max(s.Work, o.Work), Turns: max(s.Turns, o.Turns),
		Unknown: max(s.Unknown, o.Unknown),
	}
}

// Minus returns s less o, member by member, and never below zero.
func (s Spent) Minus(o Spent) Spent {
	return Spent{
		Micros: s.Micros - min(o.Micros, s.Micros), Tokens: s.Tokens - min(o.Tokens, s.Tokens), Work: max(s.Work-max(o.Work, 0), 0),
		Turns: s.Turns - min(o.Turns, s.Turns), Unknown: s.Unknown - min(o.Unknown, s.Unknown),
	}
}

// BudgetLimit is how much may be consumed; zero members limit nothing.
type BudgetLimit struct {
	Micros uint64 // millionths of a US dollar
	Tokens uint64
	Work   time.Duration
}

// IsZero reports whether nothing is limited.
func (l BudgetLimit) IsZero() bool { return l == BudgetLimit{} }

// nearPercent is the percentage of a limit from which people are warned.
const nearPercent = 80

// BudgetLevel is how much of a limit is used.
type BudgetLevel uint8

// The levels. Reached is the limit itself and above.
const (
	BudgetOK BudgetLevel = iota
	BudgetNear
	BudgetReached
)

// String returns the level as clients see it.
func (l BudgetLevel) String() string { return [...]string{"ok", "near", "reached"}[l%3] }

// Level returns the level of the limit that is used most.
func (l BudgetLimit) Level(s Spent) BudgetLevel {
	return max(level(l.Micros, s.Micros), level(l.Tokens, s.Tokens), level(uint64(max(l.Work, 0)), uint64(max(s.Work, 0))))
}

// level compares without a product that could overflow.
func level(limit, used uint64) BudgetLevel {
	switch {
	case limit == 0:
		return BudgetOK
	case used >= limit:
		return BudgetReached
	case used >= limit-limit/100*(100-nearPercent)-limit%100*(100-nearPercent)/100:
		return BudgetNear
	}
	return BudgetOK
}

// Budget is what a session has consumed, and how much it may.
type Budget struct {
	Limit BudgetLimit // in force
	Step  BudgetLimit // what an answer raises Limit by, or a multiple of it
	Spent Spent       // since the session began; a fork begins with nothing
	Below Spent       // consumed by its descendants, as far as they have reported it; counts against Limit; zero without a limit

	Day     string // the local day, as 2026-11-23, on which the session last consumed something; empty before
	DayBase Spent  // Spent when that day began, and the working time of the turn that ran then

	// What people have decided about the daemon's budget of Day in this session.
	DayFrom    BudgetLimit // each member that the settings had when a person raised it,
	DayRaised  BudgetLimit // and what it is on that day as long as they have it; zero: it was not raised
	DayRefused BudgetLimit // the limit that people refused to raise: no session asks again while it is in force
	DayAsks    bool        // this session has the request to raise it
	DayNear    bool        // a notice here has reported that 80 % of it are used

	TurnWork     time.Duration // of the turn that runs, up to WorkingSince
	WorkingSince time.Time     // the agent has worked without a pause since; zero: it is not working

	Near    bool    // a notice has reported that 80 % of the limit are used
	Held    Holding // why messages wait; empty: no message waits
	Refused bool    // a person refused to raise the limit, or the request expired: the session does not ask again by itself
}

// Now returns what the session has consumed by now, including the known part of the running turn.
func (b Budget) Now(now time.Time) Spent {
	sum := b.Spent
	sum.Work += b.TurnWork
	if !b.WorkingSince.IsZero() {
		sum.Work += max(now.Sub(b.WorkingSince), 0)
	}
	return sum
}

// OfDay returns what the session has consumed on a day, without the stretch of work in progress.
func (b Budget) OfDay(day string) Spent {
	if b.Day != day {
		return Spent{}
	}
	sum := b.Spent
	sum.Work += b.TurnWork
	return sum.Minus(b.DayBase)
}

// DayBudget is what all sessions have consumed on one day, and how much they may.
type DayBudget struct {
	Day     string // the local day of the daemon, as 2026-11-23; empty: the daemon does not count
	Ends    time.Time
	Known   bool // the daemon has read its journal; before, Spent is too low
	Spent   Spent
	Limit   BudgetLimit // of the settings, or what people have raised it to for this day
	Refused bool        // a person refused to raise it, or the request expired
	Waiting int         // sessions with work that waits for it
	Asker   SessionID   // the session with the permission request about the budget; empty: there is none
}

// Level returns how much of the limit is used.
func (d DayBudget) Level() BudgetLevel { return d.Limit.Level(d.Spent) }

// Holding is why messages of a session wait.
type Holding string

// The reasons. Stored, and shown as SessionSummary.waiting.
const (
	HeldByBudget Holding = "budget"        // the session's own budget is used
	HeldByFamily Holding = "budget_parent" // the budget of an ancestor session is used
	HeldByDay    Holding = "budget_day"    // the daemon's budget of the day is used
	HeldByPlan   Holding = "budget_plan"   // the budget of a plan that runs on behalf of the session is used
)

// USD returns the cost in US dollars, for people and for the API.
func (s Spent) USD() float64 { return float64(s.Micros) / 1e6 }

// SetBudget changes the budget of a session. Answered with [Done].
type SetBudget struct {
	ask
	Session SessionID
	Client  ClientID
	Micros  *uint64        // nil: unchanged; 0: no limit; the same for the others
	Tokens  *uint64        //
	Work    *time.Duration //
}

// Target implements [SessionRequest].
func (m SetBudget) Target() SessionID { return m.Session }

// AskPlanBudget lets the session on whose behalf a plan runs ask people whether the plan may consume more. It is
// idempotent for the same Request. Answered with [PlanBudgetAnswer].
type AskPlanBudget struct {
	ask
	Session  SessionID
	Request  RequestID
	Plan     OrchestrationID
	Spent    Spent
	Limit    BudgetLimit
	Step     BudgetLimit // by which the limit is raised
	Withdraw bool        // the plan no longer needs an answer
}

// Target implements [SessionRequest].
func (m AskPlanBudget) Target() SessionID { return m.Session }

// PlanBudgetAnswer answers [AskPlanBudget]: [Undecided] while no person has answered.
type PlanBudgetAnswer struct {
	answer
	Decision Decision
	By       string
}

// The largest budgets.
const (
	MaxBudgetMicros = 1_000_000 * 1_000_000 // a million US dollars
	MaxBudgetTokens = 1_000_000_000_000
	MaxBudgetWork   = 365 * 24 * time.Hour
)

// CheckBudget returns an error for a limit that is out of bounds.
func CheckBudget(op string, l BudgetLimit) error {
	if l.Micros > MaxBudgetMicros || l.Tokens > MaxBudgetTokens || l.Work < 0 || l.Work > MaxBudgetWork {
		return Errorf(op, Invalid, "the budget is too large: %d microdollars, %d tokens, %s", l.Micros, l.Tokens, l.Work).
			WithHint("give at most 1000000 US dollars, 10^12 tokens and 365 days; 0 is no limit")
	}
	return nil
}
