// Package family exchanges what a session and its subagents have consumed, and whether a budget above them is used.
//
//	                 SpentBelow: a sum, and whether work waits
//	session below ────────────────────────────────────────────► session above
//	              ◄────────────────────────────────────────────
//	                 BudgetAbove: whether turns may begin
//
// What subagents consume counts against the budget of every session above them. Each session tells the one above the sum of its own
// spending and of what is below it. Such a sum replaces the one before, so a repeated one counts once; the spending itself is in the
// record of the session whose agent reported it. A session with a budget reads the sums of all descendants from the journal when it
// is loaded, since those that have ended report no more.
//
// A [Family] is a value: it does no I/O, reads no clock, and a copy is independent of the original. Nothing of it is durable; each
// actor of a session asks again. The session sends the messages, and puts the sum into its record.
package family

import (
	"maps"
	"slices"

	"betcode/messages"
)

type (
	// SpentBelow tells a session what one directly below it and those further below have consumed in all, and whether work waits there
	// for a budget above.
	SpentBelow struct {
		From  messages.SessionID
		Spent messages.Spent
		Waits bool
	}

	// BudgetAbove tells a session whether a budget above it is used, so that no turn may begin, and whether there is one that is
	// told of what it consumes.
	BudgetAbove struct{ Used, Limited bool }
)

// Family is what a session knows of the sessions above and below it until its actor ends.
type Family struct {
	below   map[messages.SessionID]SpentBelow // by session directly below
	asked   map[messages.SessionID]bool       // of them, those that wait for BudgetAbove
	reading bool                              // the journal is read for below
	read    bool
	told    BudgetAbove // what those below were told last
	waits   bool        // work below may wait, as it did for an earlier actor: those below have not told yet

	above  BudgetAbove // what the session above has told
	unsure bool        // it has not told it since this actor began
	asks   bool        // it is to be asked
	sent   SpentBelow  // what it was told last
}

// Ask begins to ask the session above whether its budget is used.
func (f *Family) Ask() { f.unsure, f.asks = true, true }

// Unsure reports whether the session above has not answered yet. No agent is started until then.
func (f *Family) Unsure() bool { return f.unsure }

// Above takes the answer of the session above; the zero value if there is none.
func (f *Family) Above(m BudgetAbove) { f.above, f.unsure = m, false }

// Used reports whether a budget above is used.
func (f *Family) Used() bool { return f.above.Used }

// Limited reports whether a budget above bounds what is consumed here.
func (f *Family) Limited() bool { return f.above.Limited }

// Expect assumes that work below waits, until the sessions below have had time to tell it.
func (f *Family) Expect() { f.waits = true }

// Decided ends that assumption, because the request for the work was answered.
func (f *Family) Decided() { f.waits = false }

// Late stops waiting for sessions that have not answered in time.
func (f *Family) Late() { f.unsure, f.waits = false, false }

// Waits reports whether work of a session below waits for a budget.
func (f *Family) Waits() bool {
	for _, below := range f.below {
		if below.Waits {
			return true
		}
	}
	return f.waits
}

// Below takes what a session directly below has consumed. It is to be answered.
func (f *Family) Below(m SpentBelow) {
	f.put(m)
	f.asked = maps.Clone(f.asked)
	if f.asked == nil {
		f.asked = map[messages.SessionID]bool{}
	}
	f.asked[m.From] = true
}

// put replaces what is known of a session below. What was consumed never gets less.
func (f *Family) put(m SpentBelow) {
	m.Spent = m.Spent.Max(f.below[m.From].Spent)
	if f.below = maps.Clone(f.below); f.below == nil {
		f.below = map[messages.SessionID]SpentBelow{}
	}
	f.below[m.From] = m
}

// Read reports whether the journal is to be read for what is below: once.
func (f *Family) Read() bool {
	first := !f.read && !f.reading
	f.reading = f.reading || first
	return first
}

// Loaded takes what the journal has. All sessions below are told of the budget then: some may wait since an earlier actor.
func (f *Family) Loaded(below map[messages.SessionID]messages.Spent) {
	f.reading, f.read = false, true
	for id, spent := range below {
		f.put(SpentBelow{From: id, Spent: spent, Waits: f.below[id].Waits})
	}
	f.asked = map[messages.SessionID]bool{}
	for id := range f.below {
		f.asked[id] = true
	}
}

// Sum returns what all sessions below have consumed.
func (f *Family) Sum() (sum messages.Spent) {
	for _, below := range f.below {
		sum = sum.Plus(below.Spent)
	}
	return sum
}

// Recipients returns the sessions below that must learn of the budget: those that wait for it, or all if it has changed. There
// are none before the budget is known.
func (f *Family) Recipients(now BudgetAbove) (to []messages.SessionID) {
	if f.unsure || f.reading {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(f.below)) {
		if f.asked[id] || now != f.told {
			to = append(to, id)
		}
	}
	f.told, f.asked = now, nil
	return to
}

// Report reports whether the session above is to be told what was consumed.
func (f *Family) Report(m SpentBelow) bool {
	if f.reading || !f.asks && (!f.above.Limited || m == f.sent) {
		return false
	}
	f.asks, f.sent = false, m
	return true
}

// Busy reports whether the exchange needs the session's actor: the journal is read, or a session below waits for an answer.
func (f *Family) Busy() bool { return f.reading || len(f.asked) > 0 }
