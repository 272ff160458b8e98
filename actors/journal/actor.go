package journal

import (
	"context"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/messages/failpoint"
)

// Deps is what the journal actor needs of the system.
type Deps struct {
	act.Common

	Store  Store
	Gather time.Duration // least time between the beginnings of two transactions
	Damage *Damage
	Health *actor.PID

	ToSessions  func(ctx actor.Context, message any)
	WriteFailed func(ctx actor.Context)  // called when writes begin to fail or succeed again; the disk may be full
	Committed   func(messages.SessionID) // called for each session of a group that was written; it does not wait
	Spare       func() int64             // free bytes that the removal of garbage may use
}

// journal is the only writer of the journal's files. It answers [messages.Append] with [messages.Committed] or
// [messages.AppendRefused] and [messages.LoadSession] with [messages.SessionLoaded], each when everything before it is durable.
//
// What survives a restart: everything that was answered. Appends that were waiting are lost; the next incarnation sends
// [Restarted], on which every session that still waits for an answer rebuilds itself.
type journal struct {
	store Store
	deps  Deps
	state state

	writer       *act.Worker
	stager       *act.Worker // writes the large parts of appends, so that commits do not wait for them
	checkpointer *act.Worker // moves committed groups from the log into the active file
	reclaimer    *act.Worker // removes garbage, which may take long
	cancel       context.CancelFunc
	timers       act.Timers

	restarted bool      // not the first incarnation
	healthy   bool      // the newest transaction was written
	sealFrom  time.Time // after a failed seal: no seal is tried before this time
	retained  time.Time // last search for old files
	reclaimed time.Time // last removal of garbage
}

// How often files are maintained.
const (
	sealRetry    = 10 * time.Minute // after a failed seal: a seal copies data, and a full disk is not free again at once
	retainEvery  = 24 * time.Hour   // and after every seal
	reclaimEvery = time.Hour        // and after every dropped file
	reclaimFirst = time.Minute      // after a start, so that adoption of agents precedes it
)

// Restarted reports to sessions that appends without an answer will get none.
type Restarted struct{}

// Props describes the journal actor.
func Props(d Deps) *actor.Props {
	restarted := false
	return d.Props("journal", func() actor.Actor {
		defer func() { restarted = true }()
		return &journal{restarted: restarted, store: d.Store, deps: d, healthy: true, state: state{gather: d.Gather}}
	})
}

// Receive implements actor.Actor.
func (j *journal) Receive(ctx actor.Context) {
	switch m := act.Unwrap(j, ctx.Message()).(type) {
	case *actor.Started:
		start := func() *act.Worker { return act.NewWorker(ctx, j.deps.Workers, j) }
		j.writer, j.stager, j.checkpointer, j.reclaimer = start(), start(), start(), start()
		j.reclaimed = j.deps.Now().Add(reclaimFirst - reclaimEvery)
		if j.restarted {
			j.deps.ToSessions(ctx, Restarted{})
		}
	case *actor.Stopping, *actor.Restarting:
		for _, w := range []*act.Worker{j.writer, j.stager, j.checkpointer, j.reclaimer} {
			w.Close(nil)
		}
		if j.cancel != nil {
			j.cancel()
		}
		j.timers.Stop()
	case nil, *actor.Stopped:
	default:
		failpoint.Hit(failpoint.JournalStep)
		next, effects := j.state.step(j.deps.Now(), ctx.Sender(), m)
		j.state = next
		switch done := m.(type) {
		case groupDone:
			j.report(ctx, done)
		case checkpointed:
			if done.failure != nil { // the store reports when it is due again
				j.deps.Log("journal").Error().Err(done.failure).Msg("checkpoint failed: the log was not moved into the journal file")
			}
		case roomReclaimed:
			j.reportRoom(done)
		case reopened:
			j.reportReopened(done.err)
		}
		for _, e := range effects {
			j.perform(ctx, e)
		}
	}
}

// report passes the result of a transaction to health and the log.
func (j *journal) report(ctx actor.Context, done groupDone) {
	if healthy := done.failure == nil; healthy != j.healthy && (done.wrote || !healthy) { // a group of loads does not prove that writing works
		j.healthy = healthy
		if !healthy {
			j.deps.Log("journal").Error().Err(done.failure).Msg("journal not writable: output of agents is shown and not stored")
		}
		ctx.Send(j.deps.Health, health.Journal{Err: done.failure})
		j.deps.WriteFailed(ctx)
	}
	for _, r := range done.replies {
		if c, ok := r.With.(messages.Committed); ok {
			j.deps.Committed(c.Session)
		}
	}
	if done.dropped > 0 {
		j.deps.Log("journal").Info().Int("files", done.dropped).Msg("old history dropped")
	}
	if done.retain != nil {
		j.deps.Log("journal").Error().Err(done.retain).Dur("again_in", retainEvery).Msg("old history not dropped")
	}
	if done.seal != nil {
		j.sealFrom = j.deps.Now().Add(sealRetry)
		j.deps.Log("journal").Error().Err(done.seal).Dur("again_in", sealRetry).Msg("journal file not sealed")
	}
}

// reportReopened logs an attempt to open the journal again.
func (j *journal) reportReopened(err error) {
	if err != nil {
		j.deps.Log("journal").Warn().Err(err).Msg("journal still not writable; it will be opened again")
		return
	}
	j.deps.Log("journal").Info().Msg("journal writable again")
}

// reportRoom logs the result of removing garbage.
func (j *journal) reportRoom(done roomReclaimed) {
	if done.Swept+done.Rewritten > 0 {
		j.deps.Log("journal").Info().Int("payloads", done.Swept).Int("files", done.Rewritten).Int64("bytes", done.Bytes).Msg("journal space reclaimed")
	}
	if done.Waiting > 0 {
		j.deps.Log("journal").Warn().Int("files", done.Waiting).Dur("again_in", reclaimEvery).Msg("too little free space to rewrite journal files without their garbage")
	}
	if done.Damaged != nil {
		j.deps.Damage.Note(j.deps.Now(), nil, done.Damaged)
		j.deps.Log("journal").Error().Err(done.Damaged).Msg("journal file damaged: not rewritten")
	}
	if done.failure != nil && messages.KindOf(done.failure) != messages.Canceled {
		j.deps.Log("journal").Error().Err(done.failure).Dur("again_in", reclaimEvery).Msg("journal space not reclaimed")
	}
}

func (j *journal) perform(ctx actor.Context, e act.Effect) {
	switch e := e.(type) {
	case act.Reply:
		act.Send(ctx, e.To, e.With)
	case act.After:
		j.timers.Start(ctx, e.Delay, e.Message)
	case toHealth:
		j.healthy = true
		ctx.Send(j.deps.Health, e.message)
	case toSessions:
		j.deps.ToSessions(ctx, e.message)
	case reopenStore:
		j.writer.Do(func() any { return reopened{j.store.Reopen()} })
	case tryStore:
		j.checkpointer.Do(func() any { return storeTried{e.from, j.store.Try()} })
	case stageAppend:
		j.stager.Do(func() any {
			j.store.Stage(*e.append)
			return staged(e)
		})
	case checkpoint:
		j.checkpointer.Do(func() any { return checkpointed{j.store.Checkpoint()} })
	case reclaimRoom:
		life, cancel := context.WithCancel(context.Background())
		j.reclaimed, j.cancel = j.deps.Now(), cancel
		j.reclaimer.Do(func() any {
			defer cancel()
			done, err := j.store.Reclaim(life, j.deps.Spare())
			return roomReclaimed{done, err}
		})
	case writeGroup:
		now := j.deps.Now()
		mustReclaim := now.Sub(j.reclaimed) >= reclaimEvery || failpoint.Fail(failpoint.ReclaimDue) != nil
		maySeal, mustRetain := !now.Before(j.sealFrom), now.Sub(j.retained) >= retainEvery
		if mustRetain {
			j.retained = now
		}
		j.writer.Do(func() any {
			done := writeAll(j.store, e.work)
			done.checkpointDue = j.store.CheckpointDue()
			if maySeal && j.store.SealDue() {
				done.seal = j.store.Seal()
				mustRetain = mustRetain || done.seal == nil
			}
			if mustRetain {
				done.dropped, done.retain = j.store.Retain()
			}
			done.reclaimDue = mustReclaim || done.dropped > 0
			return done
		})
	}
}
