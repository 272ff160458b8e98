package family

import (
	"slices"
	"testing"

	"betcode/messages"
)

func micros(n uint64) messages.Spent { return messages.Spent{Micros: n} }

// A sum replaces the one before, a repeated one counts once, and what was consumed never gets less.
func TestSum(t *testing.T) {
	var f Family
	for _, m := range []SpentBelow{{From: "b", Spent: micros(5)}, {From: "c", Spent: micros(2)}, {From: "b", Spent: micros(7)}, {From: "b", Spent: micros(7)}, {From: "c", Spent: micros(1)}} {
		f.Below(m)
	}
	if got := f.Sum(); got != micros(9) {
		t.Errorf("%+v, want 9", got)
	}
	f.Loaded(map[messages.SessionID]messages.Spent{"b": micros(6), "d": micros(1)})
	if got := f.Sum(); got != micros(10) {
		t.Errorf("with what the journal has: %+v, want 10", got)
	}
}

// The sessions below are told what they ask, and all of them what has changed. Nobody is told while it is not known.
func TestTell(t *testing.T) {
	var f Family
	f.Below(SpentBelow{From: "c"})
	f.Below(SpentBelow{From: "b"})
	if !f.Read() || f.Read() {
		t.Error("the journal is read once")
	}
	if got := f.Recipients(BudgetAbove{Used: true}); got != nil || !f.Busy() {
		t.Errorf("told while the journal is read: %q", got)
	}
	f.Loaded(nil)
	f.Ask()
	if got := f.Recipients(BudgetAbove{Used: true}); got != nil {
		t.Errorf("told before the session above has answered: %q", got)
	}
	f.Above(BudgetAbove{Limited: true})
	for _, c := range []struct {
		name string
		do   func()
		now  BudgetAbove
		want []messages.SessionID
	}{
		{"all have asked", func() {}, BudgetAbove{Limited: true}, []messages.SessionID{"b", "c"}},
		{"nothing has changed", func() {}, BudgetAbove{Limited: true}, nil},
		{"one asks", func() { f.Below(SpentBelow{From: "c"}) }, BudgetAbove{Limited: true}, []messages.SessionID{"c"}},
		{"the budget is used", func() {}, BudgetAbove{Limited: true, Used: true}, []messages.SessionID{"b", "c"}},
	} {
		c.do()
		if got := f.Recipients(c.now); !slices.Equal(got, c.want) || f.Busy() {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The session above is asked once, and told each change if a budget there counts it.
func TestReport(t *testing.T) {
	var f Family
	if f.Report(SpentBelow{From: "a"}) {
		t.Error("reported although nothing limits it")
	}
	f.Ask()
	if !f.Unsure() || !f.Report(SpentBelow{From: "a"}) || f.Report(SpentBelow{From: "a"}) {
		t.Error("it is to be asked once")
	}
	f.Above(BudgetAbove{Limited: true})
	if f.Unsure() || f.Report(SpentBelow{From: "a"}) || !f.Report(SpentBelow{From: "a", Spent: micros(1)}) {
		t.Error("a change is to be told, and nothing else")
	}
}

// A copy is independent: a step that fails leaves the former state.
func TestCopies(t *testing.T) {
	var f Family
	f.Below(SpentBelow{From: "b", Waits: true})
	kept := f
	f.Below(SpentBelow{From: "b"})
	f.Below(SpentBelow{From: "c", Spent: micros(3)})
	if f.Waits() || !kept.Waits() || kept.Sum() != (messages.Spent{}) {
		t.Errorf("%+v, and before %+v", f, kept)
	}
	kept.Expect()
	if kept.Late(); kept.Unsure() {
		t.Error("it waits on")
	}
}
