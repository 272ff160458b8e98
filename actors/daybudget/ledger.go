package daybudget

import (
	"sync"
	"time"

	"betcode/messages"
)

// Ledger has the consumption of the day and its limits. It is safe for concurrent use; the actor alone changes it.
type Ledger struct {
	mu    sync.RWMutex
	state state
}

// NewLedger returns the ledger of a daemon that has not read its journal.
func NewLedger(now time.Time, setting messages.BudgetLimit) *Ledger {
	return &Ledger{state: newState(now, setting)}
}

// Of returns the standing of a session.
func (l *Ledger) Of(id messages.SessionID, now time.Time) Standing {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.state.standing(id, now)
}

// Total returns what a session has consumed since it began. It is not known until the journal was read.
func (l *Ledger) Total(id messages.SessionID, now time.Time) (spent messages.Spent, known bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	t := l.state.totals[id]
	if !t.since.IsZero() {
		t.spent.Work += max(now.Sub(t.since), 0)
	}
	return t.spent, l.state.known
}

// View returns the consumption of all sessions on the day, and the limits.
func (l *Ledger) View(now time.Time) messages.DayBudget {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.state.view(now)
}
