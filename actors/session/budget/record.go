package budget

import (
	"time"

	"betcode/messages"
)

// Day begins another day for a session: what was consumed before it is the base of the day, and no decision about a former day holds
// any more. It does nothing on the day of the record. A stretch of work that runs is divided at the time at which the day begins.
func Day(b *messages.Budget, day string, begins time.Time) {
	if b.Day == day {
		return
	}
	base := b.Spent
	base.Work += b.TurnWork
	if !b.WorkingSince.IsZero() {
		base.Work += max(begins.Sub(b.WorkingSince), 0)
	}
	b.Day, b.DayBase = day, base
	b.DayFrom, b.DayRaised, b.DayRefused, b.DayAsks, b.DayNear = messages.BudgetLimit{}, messages.BudgetLimit{}, messages.BudgetLimit{}, false, false
}

// Pause ends a stretch of work.
func Pause(b *messages.Budget, at time.Time) {
	b.TurnWork = Worked(messages.Spent{Work: b.TurnWork}, at.Sub(b.WorkingSince)).Work
	b.WorkingSince = time.Time{}
	boundDay(b)
}

// EndTurn counts a turn that has ended with a result, and the work that it took. most bounds that work; 0 = it is known.
func EndTurn(b *messages.Budget, t Turn, most time.Duration) {
	if most > 0 {
		b.TurnWork = min(b.TurnWork, most)
	}
	b.Spent = Add(Worked(b.Spent, b.TurnWork), t)
	b.TurnWork = 0
	boundDay(b)
}

// EndWork counts the work of a turn that did not end with a result.
func EndWork(b *messages.Budget) { b.Spent, b.TurnWork = Worked(b.Spent, b.TurnWork), 0 }

// boundDay bounds the working time before the day by that of all days: a stretch that ended meanwhile is shorter than it seemed.
func boundDay(b *messages.Budget) { b.DayBase.Work = min(b.DayBase.Work, b.Spent.Work+b.TurnWork) }
