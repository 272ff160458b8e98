package translate

import (
	"time"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// BudgetIn translates the budget of a new session or plan; nil stays nil.
func BudgetIn(op string, b *pb.Budget) (*messages.BudgetLimit, error) {
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

// SetBudgetIn translates a change of a budget. The handler adds session and client.
func SetBudgetIn(r *pb.SetSessionBudgetRequest) (messages.SetBudget, error) {
	const op = "set budget"
	m := messages.SetBudget{Micros: r.CostMicros, Tokens: r.Tokens} //nolint:protogetter // unset fields stay nil
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

// sessionBudgetOut translates the budget of a session and its consumption.
func sessionBudgetOut(b messages.Budget, now time.Time) *pb.SessionBudget {
	spent := b.Now(now)
	out := &pb.SessionBudget{
		Spent: SpendingOut(spent), Limit: LimitOut(b.Limit), State: b.Limit.Level(spent.Plus(b.Below)).String(), Held: string(b.Held), Refused: b.Refused,
	}
	if b.Below != (messages.Spent{}) {
		out.Below = SpendingOut(b.Below)
	}
	return out
}

// DayOut translates the budget of the day.
func DayOut(d messages.DayBudget) *pb.DayBudget {
	if d.Day == "" {
		return nil
	}
	out := &pb.DayBudget{
		Day: d.Day, Spent: SpendingOut(d.Spent), Limit: LimitOut(d.Limit), State: d.Level().String(), Refused: d.Refused,
		Waiting: Saturate(uint64(max(d.Waiting, 0))), SessionId: string(d.Asker), Ends: TimeOut(d.Ends),
	}
	if !d.Known {
		out.State = "unknown"
	}
	return out
}

// SpendingOut translates a consumption.
func SpendingOut(s messages.Spent) *pb.Spending {
	return &pb.Spending{CostMicros: s.Micros, Tokens: s.Tokens, WorkMs: uint64(max(s.Work, 0) / time.Millisecond), Turns: s.Turns, Unknown: s.Unknown}
}

// LimitOut translates a budget.
func LimitOut(l messages.BudgetLimit) *pb.Budget {
	return &pb.Budget{CostMicros: l.Micros, Tokens: l.Tokens, WorkMs: uint64(max(l.Work, 0) / time.Millisecond)}
}
