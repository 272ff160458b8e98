package budget

import (
	"testing"
	"time"

	"betcode/messages"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// A stretch of work that runs over the end of a day belongs to both, and no decision of the day before holds.
func TestDay(t *testing.T) {
	b := messages.Budget{
		Day: "2026-05-03", Spent: messages.Spent{Micros: 7, Work: time.Hour}, TurnWork: time.Minute, WorkingSince: noon.Add(-13 * time.Hour),
		DayAsks: true, DayNear: true, DayRaised: messages.BudgetLimit{Micros: 1}, DayRefused: messages.BudgetLimit{Micros: 2}, DayFrom: messages.BudgetLimit{Micros: 3},
	}
	Day(&b, "2026-05-04", noon.Add(-12*time.Hour))
	none := messages.BudgetLimit{}
	if b.DayBase != (messages.Spent{Micros: 7, Work: 2*time.Hour + time.Minute}) || b.DayAsks || b.DayNear || b.DayRaised != none || b.DayRefused != none || b.DayFrom != none {
		t.Errorf("%+v", b)
	}
	b.DayAsks = true
	if Day(&b, "2026-05-04", noon); !b.DayAsks {
		t.Error("the same day began twice")
	}
}

// Work of several stretches counts once, when its turn ends.
func TestWork(t *testing.T) {
	b := messages.Budget{WorkingSince: noon}
	Pause(&b, noon.Add(time.Minute))
	b.WorkingSince = noon.Add(time.Hour)
	Pause(&b, noon.Add(time.Hour+time.Minute))
	if b.TurnWork != 2*time.Minute || !b.WorkingSince.IsZero() || b.Spent.Work != 0 {
		t.Errorf("paused: %+v", b)
	}
	turn := b
	EndTurn(&turn, Turn{USD: 1, CostKnown: true}, 0)
	if turn.Spent != (messages.Spent{Micros: 1_000_000, Work: 2 * time.Minute, Turns: 1}) || turn.TurnWork != 0 {
		t.Errorf("ended: %+v", turn)
	}
	turn = b
	if EndTurn(&turn, Turn{}, time.Minute); turn.Spent.Work != time.Minute {
		t.Errorf("a turn that took a minute: %+v", turn)
	}
	if EndWork(&b); b.Spent != (messages.Spent{Work: 2 * time.Minute}) || b.TurnWork != 0 {
		t.Errorf("cut off: %+v", b)
	}
}

// The working time before the day is bounded by that of all days, since the clock may have been set back.
func TestWorkBeforeTheDay(t *testing.T) {
	b := messages.Budget{WorkingSince: noon}
	Day(&b, "2026-05-05", noon.Add(12*time.Hour))
	Pause(&b, noon.Add(time.Minute))
	if b.DayBase.Work != time.Minute {
		t.Errorf("%v before the day, and a minute in all", b.DayBase.Work)
	}
}

func TestAsk(t *testing.T) {
	q := ask(messages.BudgetLimit{Micros: 1_000_000}, messages.BudgetLimit{Micros: 500_000}, messages.Spent{Micros: 1_200_000, Turns: 2}, map[string]string{"plan": "p"})
	if want := LimitText(messages.BudgetLimit{Micros: 1_500_000}); q.Next != want {
		t.Errorf("raised to %s, want %s", q.Next, want)
	}
	const want = `{"budget":"$1.00","plan":"p","raised":"$1.50","used":"$1.20, 0 tokens, 0s"}`
	if string(q.Input) != want {
		t.Errorf("%s\nwant %s", q.Input, want)
	}
}
