package grpcapi

import (
	"time"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// budgetIn translates the budget of a new session; nil stays nil.
func budgetIn(op string, b *pb.Budget) (*messages.BudgetLimit, error) {
	if b == nil {
		return nil, nil
	}
	work, err := workIn(op, b.GetWorkMs())
	if err != nil {
		return nil, err
	}
	limit := messages.BudgetLimit{Micros: b.GetCostMicros(), Tokens: b.GetTokens(), Work: work}
	return &limit, messages.CheckBudget(op, limit)
}

// workIn translates a working time.
func workIn(op string, ms uint64) (time.Duration, error) {
	if ms > uint64(messages.MaxBudgetWork/time.Millisecond) {
		return 0, wire.Invalid(op, "Give at most 365 days.", "work_ms is %d", ms)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

func setBudgetIn(r *pb.SetSessionBudgetRequest) (messages.SetBudget, error) {
	const op = "set budget"
	m := messages.SetBudget{Micros: r.CostMicros, Tokens: r.Tokens} //nolint:protogetter // what is not set stays
	if r.WorkMs != nil {
		work, err := workIn(op, r.GetWorkMs())
		if err != nil {
			return m, err
		}
		m.Work = &work
	}
	if m.Micros == nil && m.Tokens == nil && m.Work == nil {
		return m, wire.Invalid(op, "Give cost_micros, tokens or work_ms; 0 is no limit.", "nothing is to be changed")
	}
	return m, nil
}

func sessionBudgetOut(b messages.Budget, now time.Time) *pb.SessionBudget {
	spent := b.Now(now)
	return &pb.SessionBudget{
		Spent: spendingOut(spent), Limit: limitOut(b.Limit), State: b.Limit.Level(spent).String(), Held: string(b.Held), Refused: b.Refused,
	}
}

func spendingOut(s messages.Spent) *pb.Spending {
	return &pb.Spending{CostMicros: s.Micros, Tokens: s.Tokens, WorkMs: uint64(max(s.Work, 0) / time.Millisecond), Turns: s.Turns, Unknown: s.Unknown}
}

func limitOut(l messages.BudgetLimit) *pb.Budget {
	return &pb.Budget{CostMicros: l.Micros, Tokens: l.Tokens, WorkMs: uint64(max(l.Work, 0) / time.Millisecond)}
}
