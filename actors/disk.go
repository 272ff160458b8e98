package actors

import (
	"cmp"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/disk"
	"betcode/actors/internal/spool"
	"betcode/messages"
)

// room watches how much of it is left on the disk, and says when it is so little
// that nothing may be begun: new turns are refused, agents are held, and a reserve
// is given up for what must be written nevertheless. Everything that was begun is
// read to its end, and requests are shown and answered, until there is room again.
//
// What survives a restart: nothing but whether the disk was full, which everybody
// can see; the next look tells the rest.
type room struct {
	deps  *System
	state diskState
	hands *act.Worker
	timer act.Timer
	quiet bool      // the reserve's failure was told
	swept time.Time // when it was last looked for archives that are to go
}

// DiskOptions say how much of the disk the daemon may fill.
type DiskOptions struct {
	Low          int64         // with fewer free bytes the disk of RunsDirectory counts as full; 0 = 512 MiB, or a twentieth of a small one
	ArchiveBytes int64         // of the record of what agents wrote; 0 = 5 GiB
	ArchiveAge   time.Duration // of the same; 0 = 30 days
	SpoolQuota   int64         // an agent that is so many bytes ahead of the journal is held; 0 = 1 GiB, negative = none
	Reserve      string        // a file that keeps room for a full disk; empty = none

	look      func() (disk.Space, error)            // for tests: how much room there is; nil = as the filesystem of RunsDirectory says
	openSpool func(path string) (spool.File, error) // for tests: the files that agents write; nil = as they are
}

func (s *System) lookAtDisk() (disk.Space, error) {
	if s.options.Disk.look != nil {
		return s.options.Disk.look()
	}
	return disk.Look(s.options.RunsDirectory)
}

// spareRoom is how many bytes can be written before the disk counts as full; 0 if
// nobody knows.
func (s *System) spareRoom() int64 {
	space, err := s.lookAtDisk()
	if err != nil {
		return 0
	}
	return max(0, space.Free-diskState{low: s.options.Disk.Low, space: space}.mark())
}

// firstLook decides before anything starts whether the disk is full: agents that
// are adopted must not be let go if it is.
func (s *System) firstLook() {
	if space, err := s.lookAtDisk(); err == nil {
		s.diskFull.Store(space.Free < diskState{low: s.options.Disk.Low, space: space}.mark())
	}
}

func roomProps(s *System) *actor.Props {
	return s.tree.Props("disk", s.policy, func() actor.Actor {
		return &room{deps: s, state: diskState{low: s.options.Disk.Low, full: s.diskFull.Load()}}
	})
}

// Receive implements actor.Actor.
func (r *room) Receive(ctx actor.Context) {
	switch m := act.Unwrap(r, ctx.Message()).(type) {
	case *actor.Started:
		r.hands = act.NewWorker(ctx, &r.deps.workers, r)
		r.step(ctx, lookDue{})
	case *actor.Stopping, *actor.Restarting:
		r.hands.Close(nil)
		r.timer.Stop()
	case nil, *actor.Stopped:
	case reserveTried:
		if m.err != nil && !r.quiet {
			r.deps.logOf("disk").Warn().Err(m.err).Msg("no room is kept in reserve")
		}
		r.quiet = m.err != nil
	default:
		r.step(ctx, m)
	}
}

func (r *room) step(ctx actor.Context, m any) {
	before := r.state.full
	next, effects := r.state.step(m)
	r.state = next
	if next.full != before {
		r.deps.diskFull.Store(next.full) // before anybody is told
		r.deps.logOf("disk").Warn().Bool("full", next.full).Int64("free_bytes", next.space.Free).Int64("mark_bytes", next.mark()).Msg("disk is full, or no longer")
	}
	reserve := disk.Reserve(r.deps.options.Disk.Reserve)
	if now := r.deps.now(); now.Sub(r.swept) >= archiveEvery {
		r.swept = now
		r.deps.sweepArchives(now)
	}
	for _, e := range effects {
		switch e := e.(type) {
		case lookAtDisk:
			r.hands.Do(func() any {
				space, err := r.deps.lookAtDisk()
				return spaceSeen{space, err}
			})
		case keepReserve:
			r.hands.Do(func() any { return reserveTried{reserve.Keep(e.bytes)} })
		case releaseReserve:
			r.hands.Do(func() any { return reserveTried{reserve.Release()} })
		case tellSessions:
			ctx.Send(r.deps.sessions, e.message)
		case tellHealth:
			ctx.Send(r.deps.health, e.message)
		case wakeAfter:
			r.timer.Set(ctx, e.delay, e.message)
		}
	}
}

// diskFullError refuses what would need room that is not there.
func diskFullError(op string, id messages.SessionID, where string) *messages.Error {
	return messages.Errorf(op, messages.Exhausted, "the disk is nearly full").WithCode(messages.DiskFull).
		With("session_id", string(id)).
		WithHint("free some room on the disk of " + cmp.Or(where, "the state directory") + "; running agents are held and go on by themselves")
}
