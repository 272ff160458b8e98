package daybudget

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
)

// Deps is what the actor needs of the system.
type Deps struct {
	act.Common

	Ledger     *Ledger
	Settings   func() *settings.Settings
	Read       func() ([]Record, error) // the records of all sessions, of deleted ones too; it does I/O
	ToSession  func(ctx actor.Context, id messages.SessionID, message any)
	ToSessions func(ctx actor.Context, message any)
	Known      func() // called when the journal was read
}

// keeper changes the ledger.
//
// What survives a restart: nothing. It reads the journal and asks all sessions again.
type keeper struct {
	deps   Deps
	worker *act.Worker
	timer  act.Timer // the end of the day
	retry  act.Timer // reading the journal
}

// Props describes the actor.
func Props(d Deps) *actor.Props {
	return d.Props("day", func() actor.Actor { return &keeper{deps: d} })
}

// Receive implements actor.Actor.
func (k *keeper) Receive(ctx actor.Context) {
	switch m := act.Unwrap(k, ctx.Message()).(type) {
	case *actor.Started:
		k.worker = act.NewWorker(ctx, k.deps.Workers, k)
		now := k.deps.Now()
		k.deps.Ledger.mu.Lock()
		k.deps.Ledger.state = newState(now, k.deps.Settings().DayBudget)
		k.deps.Ledger.mu.Unlock()
		k.perform(ctx, readJournal{})
	case *actor.Stopping, *actor.Restarting:
		k.worker.Close(nil)
		k.timer.Stop()
		k.retry.Stop()
	case nil, *actor.Stopped:
	default:
		for _, e := range k.step(m) {
			k.perform(ctx, e)
		}
	}
}

func (k *keeper) step(m any) []act.Effect {
	l, now := k.deps.Ledger, k.deps.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	day := l.state.day
	effects := l.state.step(now, m)
	if l.state.day != day {
		k.deps.Log("day").Info().Str("from", day).Str("to", l.state.day).Msg("the day of the budget changed")
	}
	return effects
}

func (k *keeper) perform(ctx actor.Context, e act.Effect) {
	switch e := e.(type) {
	case readJournal:
		k.worker.Do(func() any {
			records, err := k.deps.Read()
			return read{records, err}
		})
	case retryRead:
		k.deps.Log("day").Warn().Err(e.err).Dur("retry_after", readPause).Msg("consumption of sessions today cannot be read")
		k.retry.Set(ctx, readPause, readAgain{})
	case wakeAt:
		k.timer.Set(ctx, e.after, due{})
	case announce:
		if e.changed {
			v := k.deps.Ledger.View(k.deps.Now())
			k.deps.Log("day").Info().Str("day", v.Day).Bool("reached", v.Level() == messages.BudgetReached).Uint64("micros", v.Spent.Micros).
				Uint64("tokens", v.Spent.Tokens).Dur("work", v.Spent.Work.Round(time.Second)).Msg("budget of the day used up, or free again")
		}
		k.deps.ToSessions(ctx, Changed{})
	case sendAgain:
		k.deps.Known()
		k.deps.ToSessions(ctx, Again{})
	case sendNear:
		k.deps.ToSession(ctx, e.session, e.near)
	}
}
