package record

import (
	"time"

	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// storeBudget returns nil for a session that has consumed nothing and has no limit.
func storeBudget(b messages.Budget) *storev1.Budget {
	if b == (messages.Budget{}) {
		return nil
	}
	return &storev1.Budget{
		Limit: storeLimit(b.Limit), Step: storeLimit(b.Step), Spent: storeSpent(b.Spent), Day: b.Day, DayBase: storeSpent(b.DayBase),
		TurnWorkNs: int64(b.TurnWork), WorkingSince: StoreTime(b.WorkingSince), Near: b.Near, Held: string(b.Held), Refused: b.Refused,
		Below: storeSpent(b.Below), DayFrom: storeLimit(b.DayFrom), DayRaised: storeLimit(b.DayRaised), DayRefused: storeLimit(b.DayRefused),
		DayAsks: b.DayAsks, DayNear: b.DayNear,
	}
}

func loadBudget(b *storev1.Budget) messages.Budget {
	return messages.Budget{
		Limit: loadLimit(b.GetLimit()), Step: loadLimit(b.GetStep()), Spent: loadSpent(b.GetSpent()), Day: b.GetDay(), DayBase: loadSpent(b.GetDayBase()),
		TurnWork: time.Duration(b.GetTurnWorkNs()), WorkingSince: LoadTime(b.GetWorkingSince()), Near: b.GetNear(), Held: messages.Holding(b.GetHeld()),
		Refused: b.GetRefused(), Below: loadSpent(b.GetBelow()), DayFrom: loadLimit(b.GetDayFrom()), DayRaised: loadLimit(b.GetDayRaised()),
		DayRefused: loadLimit(b.GetDayRefused()), DayAsks: b.GetDayAsks(), DayNear: b.GetDayNear(),
	}
}

func storeLimit(l messages.BudgetLimit) *storev1.BudgetLimit {
	if l.IsZero() {
		return nil
	}
	return &storev1.BudgetLimit{Micros: l.Micros, Tokens: l.Tokens, WorkNs: int64(l.Work)}
}

func loadLimit(l *storev1.BudgetLimit) messages.BudgetLimit {
	return messages.BudgetLimit{Micros: l.GetMicros(), Tokens: l.GetTokens(), Work: time.Duration(l.GetWorkNs())}
}

func storeSpent(s messages.Spent) *storev1.Spent {
	if s == (messages.Spent{}) {
		return nil
	}
	return &storev1.Spent{Micros: s.Micros, Tokens: s.Tokens, WorkNs: int64(s.Work), Turns: s.Turns, Unknown: s.Unknown}
}

func loadSpent(s *storev1.Spent) messages.Spent {
	return messages.Spent{
		Micros: s.GetMicros(), Tokens: s.GetTokens(), Work: time.Duration(s.GetWorkNs()), Turns: s.GetTurns(), Unknown: s.GetUnknown(),
	}
}

// StoreTombstone returns the tombstone of a deleted session. last is nil if its record is not known.
func StoreTombstone(head messages.Seq, at time.Time, last *messages.SessionRecord) *storev1.Tombstone {
	t := &storev1.Tombstone{Head: uint64(head), At: StoreTime(at)}
	if last != nil {
		t.Budget = storeBudget(last.Budget)
	}
	if last != nil && last.Subagent != nil {
		t.Parent = string(last.Subagent.Parent)
	}
	return t
}

// LoadTombstone is the inverse of StoreTombstone; nil for an empty tombstone.
func LoadTombstone(id messages.SessionID, t *storev1.Tombstone) *messages.DeletedSession {
	if t.GetParent() == "" && t.GetBudget() == nil {
		return nil
	}
	return &messages.DeletedSession{ID: id, Parent: messages.SessionID(t.GetParent()), Budget: loadBudget(t.GetBudget())}
}
