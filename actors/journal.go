package actors

import (
	"context"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/disk"
	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/messages/failpoint"
)

// Store is the part of the journal's files that the actors need. It is
// implemented by persistence.Store.
type Store interface {
	// Commit writes a group of appends in one transaction; one result each.
	Commit(appends []messages.Append) []error
	// Stage writes what is large of an append, before it is committed and while other
	// commits go on. What comes before it of its session must be committed.
	Stage(messages.Append)
	// Load returns everything a session is rebuilt from.
	Load(messages.SessionID) (messages.SessionLoaded, error)
	// DamagedSessions counts the sessions that cannot be loaded, Damaged lists them,
	// and Salvage returns what can be read of one.
	DamagedSessions() (number int, first messages.SessionID)
	Damaged() ([]messages.DamagedSession, error)
	// Findings lists the damage that was met when the journal was opened.
	Findings() []messages.JournalFinding
	Salvage(messages.SessionID) (messages.DamagedSession, bool, error)
	// Salvaged is Events for what has damage in it; gap is what was passed over.
	Salvaged(session messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, *messages.HistoryGap, error)
	// Events returns copies of the events after a number, at most so many
	// events and about so many bytes.
	Events(session messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, error)
	// Sessions, Resolve, Pending, Unfinished and Seen read the projections.
	Sessions(workingDirectory, worktree string, limit, offset int) ([]messages.SessionRecord, int, error)
	Resolve(reference string) (messages.SessionID, error)
	Pending(messages.SessionID) ([]messages.PermissionRecord, error)
	Unfinished() ([]messages.SessionID, error)
	Seen(session messages.SessionID, key string) (messages.Seq, bool, error)
	// Remembered returns what is kept of the request that was made under a key.
	Remembered(session messages.SessionID, key string) (messages.Remembered, bool, error)
	// CheckpointDue says that the log is long enough to be moved into the active
	// file; Checkpoint does it, while commits go on.
	CheckpointDue() bool
	Checkpoint() error
	// SealDue says that the active file is large enough to be closed for good;
	// Seal does it and carries all live state into the next.
	SealDue() bool
	Seal() error
	// Try writes what changes nothing, to see whether anything can be written. It may
	// wait for a checkpoint; no commit waits for it.
	Try() error
	// Reopen opens the files again, after which they can be written, or says why
	// not. What was committed is there.
	Reopen() error
	// Lineage identifies the journal: a restored one has another.
	Lineage() string
	Upkeep
}

// journal is the only writer of the journal's files. It answers
// [messages.Append] with [messages.Committed] or [messages.AppendRefused] and
// [messages.LoadSession] with [messages.SessionLoaded], each when everything
// before it is on disk.
//
// What survives a restart: everything that was answered. Appends that were
// waiting are lost; the new incarnation says so with [journalRestarted], on which
// every session that still waits for an answer rebuilds itself.
type journal struct {
	store  Store
	deps   *System
	state  journalState
	hands  *act.Worker
	stage  *act.Worker // writes what is large; so that commits do not wait
	mover  *act.Worker // of the log, for the same reason
	tidy   *act.Worker // gives back room, which may take long
	leave  context.CancelFunc
	timers act.Timers

	restarted bool      // not the first incarnation
	healthy   bool      // the newest transaction was written
	sealFrom  time.Time // no seal is tried before; after one that failed
	retained  time.Time // when it was last looked for what is too old
	reclaimed time.Time // when room was last given back
}

// sealRetry is how long a seal that failed is not tried again: it copies, and a
// disk that is full stays full for a while.
const sealRetry = 10 * time.Minute

// retainEvery is how often it is looked for files that are too old, besides
// whenever a file was sealed.
const retainEvery = 24 * time.Hour

// reclaimEvery is how often room is given back, besides whenever a file was
// dropped, the first time after how long: a daemon that starts has other things
// to do.
const (
	reclaimEvery = time.Hour
	reclaimFirst = time.Minute
)

// journalRestarted tells the sessions that appends without an answer will get
// none.
type journalRestarted struct{}

func journalProps(s *System) *actor.Props {
	restarted := false
	return s.tree.Props("journal", s.policy, func() actor.Actor {
		defer func() { restarted = true }()
		return &journal{restarted: restarted, store: s.options.Store, deps: s, healthy: true, state: journalState{gather: s.options.Gather}}
	})
}

// Receive implements actor.Actor.
func (j *journal) Receive(ctx actor.Context) {
	switch m := act.Unwrap(j, ctx.Message()).(type) {
	case *actor.Started:
		hire := func() *act.Worker { return act.NewWorker(ctx, &j.deps.workers, j) }
		j.hands, j.stage, j.mover, j.tidy = hire(), hire(), hire(), hire()
		j.reclaimed = j.deps.now().Add(reclaimFirst - reclaimEvery)
		if j.restarted {
			ctx.Send(j.deps.sessions, journalRestarted{})
		}
	case *actor.Stopping, *actor.Restarting:
		for _, w := range []*act.Worker{j.hands, j.stage, j.mover, j.tidy} {
			w.Close(nil)
		}
		if j.leave != nil {
			j.leave()
		}
		j.timers.Stop()
	case nil, *actor.Stopped:
	default:
		failpoint.Hit(failpoint.JournalStep)
		next, effects := j.state.step(j.deps.now(), ctx.Sender(), m)
		j.state = next
		switch done := m.(type) {
		case journalDone:
			j.report(ctx, done)
		case logMoved:
			if done.failure != nil { // it was due: the store says when it is again
				j.deps.logOf("journal").Error().Err(done.failure).Msg("log not moved into the journal file")
			}
		case roomReclaimed:
			j.reportRoom(done)
		case mended:
			j.reportMended(done.err)
		}
		for _, e := range effects {
			j.perform(ctx, e)
		}
	}
}

// report tells health and the log what a transaction brought to light.
func (j *journal) report(ctx actor.Context, done journalDone) {
	if healthy := done.failure == nil; healthy != j.healthy && (done.wrote || !healthy) { // reading proves nothing
		j.healthy = healthy
		if !healthy {
			j.deps.logOf("journal").Error().Err(done.failure).Msg("the journal fails: what agents say is shown and not kept")
		}
		ctx.Send(j.deps.health, health.Journal{Err: done.failure})
		ctx.Send(j.deps.disk, disk.LookNow{}) // it may be for want of room
	}
	if done.dropped > 0 {
		j.deps.logOf("journal").Info().Int("files", done.dropped).Msg("old history dropped")
	}
	if done.retain != nil {
		j.deps.logOf("journal").Error().Err(done.retain).Dur("again_in", retainEvery).Msg("old history not dropped")
	}
	if done.seal != nil {
		j.sealFrom = j.deps.now().Add(sealRetry)
		j.deps.logOf("journal").Error().Err(done.seal).Dur("again_in", sealRetry).Msg("journal file not sealed")
	}
}

// reportMended tells the log of a try to open the journal again.
func (j *journal) reportMended(err error) {
	if err != nil {
		j.deps.logOf("journal").Warn().Err(err).Msg("the journal still fails: it is opened again later")
		return
	}
	j.deps.logOf("journal").Info().Msg("the journal works again")
}

// reportRoom tells the log what room was given back.
func (j *journal) reportRoom(done roomReclaimed) {
	if done.Swept+done.Rewritten > 0 {
		j.deps.logOf("journal").Info().Int("payloads", done.Swept).Int("files", done.Rewritten).Int64("bytes", done.Bytes).Msg("room of the journal given back")
	}
	if done.Waiting > 0 {
		j.deps.logOf("journal").Warn().Int("files", done.Waiting).Dur("again_in", reclaimEvery).Msg("no room on the disk to rewrite the journal without its garbage")
	}
	if done.Damaged != nil {
		j.deps.noteDamage(nil, done.Damaged)
		j.deps.logOf("journal").Error().Err(done.Damaged).Msg("the journal is damaged: a file of it is not rewritten")
	}
	if done.failure != nil && messages.KindOf(done.failure) != messages.Canceled {
		j.deps.logOf("journal").Error().Err(done.failure).Dur("again_in", reclaimEvery).Msg("room of the journal not given back")
	}
}

func (j *journal) perform(ctx actor.Context, e effect) {
	switch e := e.(type) {
	case reply:
		act.Send(ctx, e.to, e.with)
	case wakeAfter:
		j.timers.Start(ctx, e.delay, e.message)
	case tellHealth:
		j.healthy = true
		ctx.Send(j.deps.health, e.message)
	case tellSessions:
		ctx.Send(j.deps.sessions, e.message)
	case mendStore:
		j.hands.Do(func() any { return mended{j.store.Reopen()} })
	case tryStore:
		j.mover.Do(func() any { return storeTried{e.from, j.store.Try()} })
	case stageAppend:
		j.stage.Do(func() any {
			j.store.Stage(*e.append)
			return staged(e)
		})
	case moveLog:
		j.mover.Do(func() any { return logMoved{j.store.Checkpoint()} })
	case reclaimRoom:
		leave, cancel := context.WithCancel(context.Background())
		j.reclaimed, j.leave = j.deps.now(), cancel
		j.tidy.Do(func() any {
			defer cancel()
			done, err := j.store.Reclaim(leave, j.deps.room.Spare())
			return roomReclaimed{done, err}
		})
	case writeGroup:
		now := j.deps.now()
		mustReclaim := now.Sub(j.reclaimed) >= reclaimEvery || failpoint.Fail(failpoint.ReclaimDue) != nil
		maySeal, mustRetain := !now.Before(j.sealFrom), now.Sub(j.retained) >= retainEvery
		if mustRetain {
			j.retained = now
		}
		j.hands.Do(func() any {
			done := writeAll(j.store, e.work)
			done.moveDue = j.store.CheckpointDue()
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

// writeAll carries out a group in order: appends that follow one another share
// a transaction, a load sees everything before it.
func writeAll(store Store, work []journalWork) (done journalDone) {
	done.replies = make([]reply, 0, len(work))
	for len(work) > 0 {
		if work[0].append == nil {
			loaded := load(store, work[0].load)
			if e, ok := loaded.(*messages.Error); ok && e.Kind == messages.Unavailable {
				done.failure = e
			}
			done.replies = append(done.replies, reply{work[0].from, loaded})
			work = work[1:]
			continue
		}
		var group []messages.Append
		for len(group) < len(work) && work[len(group)].append != nil {
			group = append(group, *work[len(group)].append)
		}
		for i, err := range store.Commit(group) {
			done.replies = append(done.replies, reply{work[i].from, outcome(group[i], err)})
			done.wrote = done.wrote || err == nil
			if messages.KindOf(err) == messages.Unavailable && err != nil {
				done.failure = err
			}
		}
		work = work[len(group):]
	}
	return done
}

func load(store Store, id messages.SessionID) any {
	loaded, err := store.Load(id)
	if err == nil {
		return loaded
	}
	if messages.KindOf(err) == messages.DataLoss {
		if d, found, err := store.Salvage(id); err == nil && found {
			return unloadable{d}
		}
	}
	return messages.AsError("load session", err)
}

func outcome(a messages.Append, err error) any {
	if err == nil {
		return messages.Committed{Session: a.Session, Commit: a.Commit}
	}
	return messages.AppendRefused{Session: a.Session, Commit: a.Commit, Err: messages.AsError("append", err)}
}
