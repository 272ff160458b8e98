package retention

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
)

// Store is the part of the journal that retention reads.
type Store interface {
	Sessions(workingDirectory, worktree string, limit, offset int) ([]messages.SessionRecord, int, error)
	Events(session messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, error)
}

// Deps is what retention needs of the system.
type Deps struct {
	act.Common

	Store    Store
	Sessions *actor.PID                // which passes TrimHistory on to the session, and starts it if it has no actor
	Settings func() *settings.Settings // the present ones, for an actor that starts
}

// retention searches, once an hour, for sessions with more history than the settings allow, and has them drop the oldest.
//
// That deletes nothing: a session moves its low-water mark, which is durable and effective at once. The journal deletes the
// bytes with their file.
//
// What survives a restart: nothing. The next incarnation searches again.
type retention struct {
	deps     Deps
	settings *settings.Settings
	worker   *act.Worker
	timer    act.Timer
}

const (
	lookEvery = time.Hour
	lookFirst = 10 * time.Second // after a start, and between batches
	batch     = 100              // sessions that get TrimHistory at once: each is started for it
)

type (
	// lookDue is sent when the next search is due.
	lookDue struct{}
	// sessionsFound is the result of a search.
	sessionsFound struct {
		trims []messages.TrimHistory
		more  bool // there are more sessions
		err   error
	}
)

// Props describes the retention actor.
func Props(d Deps) *actor.Props {
	return d.Props("retention", func() actor.Actor { return &retention{deps: d, settings: d.Settings()} })
}

// Receive implements actor.Actor.
func (r *retention) Receive(ctx actor.Context) {
	switch m := act.Unwrap(r, ctx.Message()).(type) {
	case *actor.Started:
		r.worker = act.NewWorker(ctx, r.deps.Workers, r)
		r.lookAfter(ctx, lookFirst)
	case settings.Changed:
		r.settings = m.Now
		r.lookAfter(ctx, lookFirst)
	case *actor.Stopping, *actor.Restarting:
		r.worker.Close(nil)
		r.timer.Stop()
	case lookDue:
		limits, store := limits{bytes: uint64(max(r.settings.SessionBytes, 0)), age: r.settings.SessionAge, now: r.deps.Now()}, r.deps.Store
		r.worker.Do(func() any { return findLong(store, limits) })
	case sessionsFound:
		if m.err != nil {
			r.deps.Log("retention").Error().Err(m.err).Dur("again_in", lookEvery).Msg("some sessions not checked for old history")
		}
		for _, trim := range m.trims {
			ctx.Send(r.deps.Sessions, trim)
		}
		if len(m.trims) > 0 {
			r.deps.Log("retention").Info().Int("sessions", len(m.trims)).Msg("old history dropped")
		}
		again := lookEvery
		if m.more {
			again = lookFirst
		}
		r.lookAfter(ctx, again)
	}
}

// lookAfter sets the timer for the next search, if there is a limit.
func (r *retention) lookAfter(ctx actor.Context, d time.Duration) {
	r.timer.Stop()
	if r.settings.SessionBytes > 0 || r.settings.SessionAge > 0 {
		r.timer.Set(ctx, d, lookDue{})
	}
}

// findLong checks every session. It skips a session that cannot be read.
func findLong(store Store, limits limits) any {
	var found sessionsFound
	records, _, err := store.Sessions("", "", 0, 0)
	if err != nil {
		return sessionsFound{err: err}
	}
	for i := range records {
		trim, due, err := limits.look(store, &records[i])
		if err != nil {
			found.err = err
		}
		if !due {
			continue
		}
		if len(found.trims) == batch {
			found.more = true
			break
		}
		found.trims = append(found.trims, trim)
	}
	return found
}
