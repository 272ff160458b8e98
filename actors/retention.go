package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// retention looks, once an hour, for sessions whose history is longer or older
// than one session's may be, and tells them to give up its beginning. How large
// the journal is as a whole is the journal's own business.
//
// Nothing is deleted by that: a session moves its low-water mark, which is durable
// and holds at once, and the bytes go with their file.
//
// What survives a restart: nothing; it looks again.
type retention struct {
	deps  *System
	hands *act.Worker
	wake  act.Timer
}

// How often it is looked, the first time after how long, and how many sessions are
// told at once: each is woken for it.
const (
	retentionEvery = time.Hour
	retentionFirst = 10 * time.Second
	retentionBatch = 100
)

// retentionDue is the retention's own word for the time to look; sessionsFound is
// what came of it. limitsChanged says that there may be something to look for now.
type (
	retentionDue  struct{}
	limitsChanged struct{}
	sessionsFound struct {
		trims []messages.TrimHistory
		more  bool // there are more of them
		err   error
	}
)

func retentionProps(s *System) *actor.Props {
	return s.tree.Props("retention", s.policy, func() actor.Actor { return &retention{deps: s} })
}

// Receive implements actor.Actor.
func (r *retention) Receive(ctx actor.Context) {
	switch m := act.Unwrap(r, ctx.Message()).(type) {
	case *actor.Started:
		r.hands = act.NewWorker(ctx, &r.deps.workers, r)
		r.lookAfter(ctx, retentionFirst)
	case limitsChanged:
		r.lookAfter(ctx, retentionFirst)
	case *actor.Stopping, *actor.Restarting:
		r.hands.Close(nil)
		r.wake.Stop()
	case retentionDue:
		live := r.deps.live.Load()
		limits := historyLimits{bytes: uint64(max(live.SessionBytes, 0)), age: live.SessionAge, now: r.deps.now()}
		store := r.deps.options.Store
		r.hands.Do(func() any { return findLong(store, limits) })
	case sessionsFound:
		if m.err != nil {
			r.deps.logOf("retention").Error().Err(m.err).Dur("again_in", retentionEvery).Msg("not every session was looked at for old history")
		}
		for _, trim := range m.trims {
			ctx.Send(r.deps.sessions, trim)
		}
		if len(m.trims) > 0 {
			r.deps.logOf("retention").Info().Int("sessions", len(m.trims)).Msg("old history given up")
		}
		again := retentionEvery
		if m.more {
			again = retentionFirst
		}
		r.lookAfter(ctx, again)
	}
}

// lookAfter sets the timer for the next look, if there is anything to look for.
func (r *retention) lookAfter(ctx actor.Context, d time.Duration) {
	r.wake.Stop()
	if live := r.deps.live.Load(); live.SessionBytes > 0 || live.SessionAge > 0 {
		r.wake.Set(ctx, d, retentionDue{})
	}
}

// findLong looks at every session. One that cannot be read does not keep the
// others from being looked at.
func findLong(store Store, limits historyLimits) any {
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
		if len(found.trims) == retentionBatch {
			found.more = true
			break
		}
		found.trims = append(found.trims, trim)
	}
	return found
}
