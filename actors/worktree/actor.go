package worktree

import (
	"context"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/git"
	"betcode/messages"
)

// Deps is what worktrees need of the system.
type Deps struct {
	act.Common

	Registry  *Registry
	Repos     *Repositories
	Git       *git.Git
	Spare     func(dir string) (int64, error)                                // bytes that may be written on the disk of a directory
	Protected func(path string) string                                       // why nothing may be made at a path; empty = it may
	Setup     func() Setup                                                   // how worktrees are prepared
	Trusted   func(dir string) (files map[string]string, trusted bool)       // whether the user trusts the files of a directory: paths with their SHA-256
	Variable  func(name string) string                                       // of the daemon's environment
	Sessions  func() ([]messages.SessionRecord, error)                       // all sessions
	Retention func() time.Duration                                           // worktrees that are not used for so long are removed; 0 = none are removed
	Audit     func(messages.AuditEntry)                                      // for changes that the daemon makes by itself
	Stop      func(ctx context.Context, id messages.SessionID) (bool, error) // ends the agent of a session; true if one ran. It waits: call it on a worker
}

// maxRepositories bounds the children, maxQueue the changes queued in each, maxLeasing the changes of leases.
const (
	maxRepositories = 1000
	maxQueue        = 32
	maxLeasing      = 1000
)

// worktrees passes requests to the child of their repository.
//
// What survives a restart: the records. The next incarnation starts the children again, and each checks its own.
type worktrees struct {
	deps     Deps
	children map[string]*actor.PID // by common git directory
	looker   *act.Worker           // searches for worktrees to retire
	timer    act.Timer             // of the next search
	life     context.Context       // of this incarnation
	cancel   context.CancelFunc
}

// Props describes the worktrees actor.
func Props(d Deps) *actor.Props {
	return d.Props("worktrees", func() actor.Actor { return &worktrees{deps: d, children: map[string]*actor.PID{}} })
}

// Receive implements actor.Actor.
func (w *worktrees) Receive(ctx actor.Context) {
	switch m := act.Unwrap(w, ctx.Message()).(type) {
	case *actor.Started:
		for _, common := range w.deps.Registry.repositories() {
			w.child(ctx, common)
		}
		w.looker = act.NewWorker(ctx, w.deps.Workers, w)
		w.life, w.cancel = context.WithCancel(context.Background())
		w.retireAfter(ctx, retireFirst)
	case RetentionChanged:
		w.retireAfter(ctx, retireFirst)
	case retireDue:
		w.look()
	case retirable:
		w.retire(ctx, m)
	case *messages.Error: // of a removal that this actor requested
		w.deps.Log("worktrees").Info().Err(m).Msg("unused worktree is kept")
	case *actor.Stopping, *actor.Restarting:
		w.cancel()
		w.timer.Stop()
		w.looker.Close(nil)
	case messages.WorktreeRequest:
		child := w.child(ctx, m.Repository())
		if child == nil {
			act.Send(ctx, ctx.Sender(), messages.Errorf("change worktree", messages.Exhausted, "worktrees of %d repositories are kept, no more", maxRepositories).
				WithHint("Restart the daemon: repositories without worktrees are forgotten."))
			return
		}
		ctx.Forward(child)
	}
}

// child returns the child of a repository, which it starts if there is none; nil if there are too many.
func (w *worktrees) child(ctx actor.Context, common string) *actor.PID {
	if pid := w.children[common]; pid != nil || len(w.children) >= maxRepositories {
		return pid
	}
	pid, err := ctx.SpawnNamed(repositoryProps(w.deps, common), act.ChildName("repository", actorName(common)))
	if err != nil {
		panic("start repository: " + err.Error())
	}
	w.children[common] = pid
	return pid
}

// repository makes the changes of one repository, one after the other.
//
// What survives a restart: the records. Each incarnation first finishes or undoes unfinished changes. A change that runs when
// the actor crashes is interrupted as by the end of the daemon; its lock delays the next incarnation until git has ended.
type repository struct {
	deps    Deps
	changes *changes
	worker  *act.Worker
	setups  *act.Worker     // of worktrees, beside the changes
	leases  *act.Worker     // writes leases, beside both
	life    context.Context // of this incarnation; its end interrupts the running change
	cancel  context.CancelFunc
	queued  int // changes that are not answered
	leasing int // of leases
}

// changed is the result of a change, leased that of a change of leases.
type (
	changed struct {
		to     *actor.PID
		answer any
	}
	leased changed
)

func repositoryProps(d Deps, common string) *actor.Props {
	log := d.Log("worktrees/" + act.ChildName("repository", actorName(common)))
	return d.Props("repository", func() actor.Actor {
		return &repository{deps: d, changes: &changes{registry: d.Registry, repositories: d.Repos, git: d.Git, deps: &d, log: log, common: common}}
	})
}

// Receive implements actor.Actor.
func (r *repository) Receive(ctx actor.Context) {
	switch m := act.Unwrap(r, ctx.Message()).(type) {
	case *actor.Started:
		r.life, r.cancel = context.WithCancel(context.Background())
		r.worker = act.NewWorker(ctx, r.deps.Workers, r)
		r.setups = act.NewWorker(ctx, r.deps.Workers, r)
		r.leases = act.NewWorker(ctx, r.deps.Workers, r)
		life, changes := r.life, r.changes
		r.worker.Do(func() any {
			changes.reconcile(life)
			return nil
		})
		r.leases.Do(func() any {
			changes.checkLeases()
			return nil
		})
	case messages.LeaseWorktree, messages.ReleaseWorktree, messages.EndLease:
		r.lease(ctx, m)
	case leased:
		r.leasing--
		act.Send(ctx, m.to, m.answer)
	case messages.WorktreeRequest:
		r.change(ctx, m)
	case changed:
		r.queued--
		act.Send(ctx, m.to, m.answer)
		if v, ok := m.answer.(messages.WorktreeView); ok && v.Setup.Status == messages.SetupRunning {
			life, changes := r.life, r.changes
			r.setups.Do(func() any {
				changes.setUp(life, v.ID)
				return nil
			})
		}
	case *actor.Stopping, *actor.Restarting:
		r.cancel()
		r.worker.Close(nil)
		r.setups.Close(nil)
		r.leases.Close(nil)
	}
}

// lease queues a change of leases. It does not wait for other changes.
func (r *repository) lease(ctx actor.Context, m any) {
	if r.leasing >= maxLeasing {
		act.Send(ctx, ctx.Sender(), messages.Errorf(opLease, messages.Exhausted, "%d changes of leases wait already", maxLeasing).
			WithHint("Try again when some of them have ended."))
		return
	}
	r.leasing++
	to, changes := ctx.Sender(), r.changes
	r.leases.Do(func() any { return leased{to, changes.doLease(m)} })
}

// change queues a change.
func (r *repository) change(ctx actor.Context, m messages.WorktreeRequest) {
	if r.queued >= maxQueue {
		act.Send(ctx, ctx.Sender(), messages.Errorf("change worktree", messages.Exhausted, "%d changes of the repository wait already", maxQueue).
			WithHint("Try again when some of them have ended."))
		return
	}
	r.queued++
	to, life, changes := ctx.Sender(), r.life, r.changes
	r.worker.Do(func() any { return changed{to, changes.do(life, m)} })
}
