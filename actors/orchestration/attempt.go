package orchestration

import (
	"context"
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/messages/plan"
)

// The backoff of attempts to reach a subagent: the pool may be full, parts of the daemon may be restarting.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 15 * time.Second
)

// cancelledError is the cause that ends the wait of a runner.
type cancelledError struct{ reason string }

func (e cancelledError) Error() string { return e.reason }

// runner spawns the subagent of one attempt and waits for its end, or makes a merge, on a worker of its own.
type runner struct {
	worker *act.Worker
	stop   func(reason string) // once: the subagent is cancelled
}

// run starts a runner. It does nothing if the attempt has one.
func (o *orchestration) run(ctx actor.Context, a attempt) {
	if o.runs[a] != nil {
		return
	}
	waiting, stop := context.WithCancelCause(o.life)
	r := &runner{worker: act.NewWorker(ctx, o.deps.Workers, o), stop: func(reason string) { stop(cancelledError{reason}) }}
	o.runs[a] = r
	agents, life := o.deps.Subagents, o.life
	var work func() (Outcome, error)
	if o.state.Plan.Steps[a.step].Merge != nil {
		merge := o.state.merge(a)
		work = func() (Outcome, error) { return playMerge(life, waiting, agents, merge) }
	} else {
		spawn, place := o.state.spawn(a), Place{o.state.worktree(a), o.state.Agent}
		work = func() (Outcome, error) { return play(life, waiting, agents, spawn, place) }
	}
	r.worker.Do(func() any {
		defer stop(nil)
		outcome, err := work()
		if err != nil {
			return nil // this incarnation ends; the next one continues
		}
		return ended{a, outcome}
	})
}

// play runs an attempt to its end. life is that of the actor; waiting ends before it when the attempt is cancelled. An error
// means that life has ended.
func play(life, waiting context.Context, agents Subagents, spawn messages.SpawnSubagent, place Place) (Outcome, error) {
	err := persist(waiting, func() error { return agents.Spawn(waiting, spawn, place) })
	if err != nil && waiting.Err() == nil {
		return failed(err), nil
	}
	var outcome Outcome
	if err == nil {
		err = persist(waiting, func() (err error) { outcome, err = agents.Wait(waiting, spawn.Subagent); return err })
		if err == nil {
			return outcome, nil
		}
		if waiting.Err() == nil {
			return failed(err), nil
		}
	}
	if life.Err() != nil {
		return Outcome{}, life.Err()
	}
	return cancelled(life, agents, spawn.Subagent, context.Cause(waiting).Error())
}

// playMerge makes a merge. A merge that is under way is not interrupted. An error means that life has ended.
func playMerge(life, waiting context.Context, agents Subagents, merge Merge) (Outcome, error) {
	var outcome Outcome
	err := persist(waiting, func() (err error) { outcome, err = agents.Merge(life, merge); return err })
	switch {
	case life.Err() != nil:
		return Outcome{}, life.Err()
	case err != nil && waiting.Err() != nil:
		return Outcome{Status: messages.StepCancelled, Error: context.Cause(waiting).Error()}, nil //nolint:nilerr // it was cancelled
	case err != nil:
		return failed(err), nil
	}
	return outcome, nil
}

// cancelled cancels a subagent and waits for its end. An error means that life has ended.
func cancelled(life context.Context, agents Subagents, id messages.SessionID, reason string) (Outcome, error) {
	var outcome Outcome
	err := persist(life, func() error {
		err := agents.Cancel(life, id, reason)
		if err == nil {
			outcome, err = agents.Wait(life, id)
		}
		return err
	})
	switch {
	case life.Err() != nil:
		return Outcome{}, life.Err()
	case err == nil:
	case messages.KindOf(err) == messages.NotFound: // it was never spawned
		outcome = Outcome{Status: messages.StepCancelled, Error: reason}
	default:
		outcome = failed(err)
	}
	return outcome, nil
}

func failed(err error) Outcome { return Outcome{Status: messages.StepFailed, Error: err.Error()} }

// persist retries f until it succeeds, fails permanently, or ctx ends.
func persist(ctx context.Context, f func() error) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := f()
		if err == nil || !passing(err) {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// passing reports whether a retry may succeed after an error.
func passing(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true // the caller checks its own context
	}
	var refused *messages.Error
	if errors.As(err, &refused) && refused.Code == messages.BudgetSpent {
		return false // the budget above stays used until a person raises it
	}
	switch messages.KindOf(err) {
	case messages.Exhausted, messages.Unavailable, messages.DeadlineExceeded, messages.Aborted, messages.Canceled:
		return true
	case messages.Internal, messages.Invalid, messages.NotFound, messages.AlreadyExists, messages.WrongState, messages.Denied,
		messages.Unauthenticated, messages.OutOfRange, messages.Unimplemented, messages.DataLoss:
	}
	return false
}

// spawn returns the request for the subagent of an attempt. It is the same after a restart.
func (s *state) spawn(a attempt) messages.SpawnSubagent {
	p := s.Plan.Steps[a.step]
	m := messages.SpawnSubagent{
		Subagent: subagentID(s.ID, p.ID, a.number), Parent: s.Parent, Client: s.Client, Prompt: s.prompt(a.step), Name: p.Title(), Model: p.Model,
		WorkingDirectory: p.Directory, WorktreeID: p.Worktree, Lease: messages.LeaseMode(p.Lease), Tools: p.Tools, MaxTurns: uint32(p.MaxTurns), //nolint:gosec // checked: at most 10000
		BudgetUSD: p.BudgetUSD, Timeout: p.Timeout, Forward: s.Forward,
		Step: messages.StepAttempt{Orchestration: string(s.ID), Step: p.ID, Attempt: uint32(a.number)}, //nolint:gosec // bounded by the journal's events
	}
	if p.Budget != (plan.Budget{}) {
		limit := messages.BudgetLimit(p.Budget)
		m.Budget = &limit
	}
	if p.Branch != "" {
		m.WorkingDirectory, m.WorktreeID = "", "" // the worktree that is made determines both
	}
	if auto := p.AutoApprove; auto != nil {
		m.AutoApprove = true
		m.Auto = messages.AutoApproveLimits{Duration: auto.Duration, PerMinute: uint32(auto.PerMinute), Queue: auto.Queue, Unfenced: auto.Unfenced} //nolint:gosec // checked: at most 600
	}
	return m
}

// worktree returns the worktree to make for a step; nil if there is none.
func (s *state) worktree(a attempt) *Worktree {
	p := s.Plan.Steps[a.step]
	if p.Branch == "" {
		return nil
	}
	return &Worktree{Name: p.WorktreeName(), Branch: p.Branch, Base: p.Base, Directory: p.Directory}
}

// merge returns the merge of a step. Its id is the same after a restart.
func (s *state) merge(a attempt) Merge {
	p := s.Plan.Steps[a.step]
	return Merge{
		MergeBranches: messages.MergeBranches{ID: string(subagentID(s.ID, p.ID, a.number)), Directory: p.Directory, Into: p.Merge.Into},
		Parent:        s.Parent, Worktree: p.Worktree, Sources: s.Plan.Sources(a.step, s.needs[a.step]), Agent: s.Agent,
	}
}
