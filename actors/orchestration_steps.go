package actors

import (
	"context"
	"errors"
	"strings"

	"betcode/actors/internal/paths"
	"betcode/actors/orchestration"
	"betcode/messages"
)

// The work of steps besides waiting for their subagents. It runs on workers.

// spawnStep spawns the subagent of a step, in a worktree that it makes if the step wants one.
func (s *System) spawnStep(ctx context.Context, m messages.SpawnSubagent, place orchestration.Place) error {
	if place.Agent && m.WorkingDirectory != "" { // a link may have been made there since the plan was checked
		parent, err := s.stepDirectory(ctx, m.Parent, "", "")
		if err == nil {
			err = confined("spawn subagent", m.WorkingDirectory, parent)
		}
		if err != nil {
			return err
		}
	}
	if place.Tree != nil {
		id, err := s.stepWorktree(ctx, m, *place.Tree)
		if err != nil {
			return err
		}
		m.WorktreeID = id
	}
	_, err := s.Ask(ctx, m)
	return err
}

// stepWorktree returns the worktree of a step and makes it if it does not exist. An existing subagent keeps its own.
func (s *System) stepWorktree(ctx context.Context, m messages.SpawnSubagent, tree orchestration.Worktree) (string, error) {
	const op = "make worktree of a step"
	loaded, err := s.options.Store.Load(m.Subagent)
	if err != nil || loaded.Found {
		return loaded.Record.WorktreeID, err
	}
	if s.registry == nil {
		return "", noWorktrees(op)
	}
	dir, err := s.stepDirectory(ctx, m.Parent, tree.Directory, "")
	if err != nil {
		return "", err
	}
	found, err := s.git.Repository(ctx, dir)
	if err != nil {
		return "", messages.AsError(op, err)
	}
	for _, v := range s.registry.Plain(found.Common, nil) {
		switch {
		case v.Name != tree.Name:
		case v.Branch != tree.Branch:
			return "", messages.Errorf(op, messages.AlreadyExists, "worktree %s has the branch %s, not %s", v.Name, v.Branch, tree.Branch).
				WithHint("Name another worktree for the step, or remove that one: betcode worktree remove " + s.registry.Reference(v.ID))
		case v.Setup.Status == messages.SetupRunning:
			return "", messages.Errorf(op, messages.Unavailable, "the setup of worktree %s runs", v.Name).WithHint("Wait for its end: betcode worktree show " + s.registry.Reference(v.ID))
		case v.Setup.Status == messages.SetupFailed, v.Setup.Status == messages.SetupTimeout, v.Setup.Status == messages.SetupCanceled:
			return "", messages.Errorf(op, messages.WrongState, "the setup of worktree %s is %s", v.Name, v.Setup.Status).WithHint("Mend it, then: betcode worktree setup " + s.registry.Reference(v.ID))
		default:
			return v.ID, nil
		}
	}
	_, exists, err := s.git.Branch(ctx, found.Common, tree.Branch)
	if err != nil {
		return "", messages.AsError(op, err)
	}
	create := messages.CreateWorktree{Directory: dir, Branch: tree.Branch, Name: tree.Name, CreateBranch: !exists}
	if !exists {
		create.Base = tree.Base
	}
	if _, err := s.worktree(ctx, create); err != nil {
		return "", err
	}
	return s.stepWorktree(ctx, m, tree) // waits for its setup
}

// stepDirectory returns the directory of a step: its worktree's, its own, or its parent's.
func (s *System) stepDirectory(ctx context.Context, parent messages.SessionID, dir, worktree string) (string, error) {
	switch {
	case worktree != "":
		_, path, err := s.registry.Usable("find worktree of a step", worktree)
		return path, err
	case dir != "":
		return dir, nil
	}
	view, err := s.sessionView(ctx, messages.GetSession{Session: parent})
	if err == nil {
		err = onThisMachine("find directory of a step", view.Record)
	}
	return view.Record.WorkingDirectory, err
}

// mergeStep makes the merge of a step.
func (s *System) mergeStep(ctx context.Context, m orchestration.Merge) (orchestration.Outcome, error) {
	const op = "merge branches"
	var err error
	if s.registry == nil {
		return orchestration.Outcome{}, noWorktrees(op)
	}
	if m.Directory, err = s.stepDirectory(ctx, m.Parent, m.Directory, m.Worktree); err != nil {
		return orchestration.Outcome{}, err
	}
	if m.Agent {
		if m.Within, err = s.stepDirectory(ctx, m.Parent, "", ""); err != nil {
			return orchestration.Outcome{}, err
		}
	}
	found, err := s.git.Repository(ctx, m.Directory)
	if err != nil {
		return orchestration.Outcome{}, messages.AsError(op, err)
	}
	for _, source := range m.Sources {
		branch := source.Branch
		if source.Worktree != "" {
			_, common, err := s.registry.Repository(op, source.Worktree)
			if err == nil && common != found.Common {
				err = messages.Errorf(op, messages.Invalid, "worktree %s is of another repository than %s", source.Worktree, m.Directory).WithHint("Name the directory of the merge.")
			}
			if err != nil {
				return orchestration.Outcome{}, err
			}
			view, err := s.registry.View(ctx, s.git, source.Worktree, nil)
			if err != nil {
				return orchestration.Outcome{}, err
			}
			branch = view.Branch
		}
		m.Branches = append(m.Branches, branch)
	}
	answer, err := s.worktree(ctx, m.MergeBranches)
	var refused *messages.Error
	if errors.As(err, &refused) && refused.Code == messages.MergeConflict {
		return orchestration.Outcome{
			Status: messages.StepFailed, Error: err.Error() + ". " + refused.Hint, Conflicts: strings.Split(refused.Details["paths"], "\n"),
		}, nil
	}
	if err != nil {
		return orchestration.Outcome{}, err
	}
	merged := answer.(messages.BranchesMerged) //nolint:forcetypeassert // the actor answers a merge with nothing else
	return orchestration.Outcome{Status: messages.StepCompleted, Summary: strings.Join(m.Branches, ", ") + " merged into " + m.Into + " at " + merged.Commit}, nil
}

// maxAgentPlans bounds the unfinished plans that the agent of one session may have.
const maxAgentPlans = 8

// confine refuses an agent's plan that leaves the directory or the repository of its session, and a plan above maxAgentPlans.
func (s *System) confine(ctx context.Context, m messages.CreateOrchestration, parent messages.SessionRecord) error {
	const op = "create orchestration"
	under := 0
	for _, v := range s.plans.List() {
		if v.Parent == m.Parent && !v.State.Ended() {
			under++
		}
	}
	if under >= maxAgentPlans {
		return subagentLimit(op, m.Parent, "%d plans of %s have not ended", under, m.Parent)
	}
	common := ""
	if found, err := s.git.Repository(ctx, parent.WorkingDirectory); err == nil {
		common = found.Common
	}
	for _, step := range m.Plan.Steps {
		if step.Directory != "" {
			if err := confined(op, step.Directory, parent.WorkingDirectory); err != nil {
				return err
			}
		}
		if step.Worktree == "" || step.Branch != "" {
			continue
		}
		if s.registry == nil {
			return noWorktrees(op)
		}
		if _, of, err := s.registry.Repository(op, step.Worktree); err != nil || of != common {
			return messages.Errorf(op, messages.NotFound, "step %s: the repository of the session has no worktree %q", step.ID, step.Worktree).WithCode(messages.WorktreeNotFound).
				WithHint("Name a branch for the step: it gets a worktree of its own.")
		}
	}
	return nil
}

// confined refuses a directory that is not inside another one, with links resolved.
func confined(op, dir, within string) error {
	if paths.Inside(dir, within) {
		return nil
	}
	return messages.Errorf(op, messages.Denied, "directory %q is not in %s", dir, within).
		WithHint("An agent's plan stays in the directory of its session; a person may submit it: betcode orchestrate run")
}

// planBudget requests a decision about the budget of a plan, on its parent session, and waits for it. A decision from before a
// crash comes from the journal.
func (s *System) planBudget(ctx context.Context, m messages.AskPlanBudget) (messages.PlanBudgetAnswer, error) {
	for {
		decided, forget := s.endings.watch(messages.SessionID(m.Request))
		if found, ok := s.queries.Decided(m.Session, m.Request); ok {
			forget()
			return messages.PlanBudgetAnswer{Decision: found.Decision, By: found.By}, nil
		}
		reply, err := s.ask(ctx, s.sessions, m)
		answer, _ := reply.(messages.PlanBudgetAnswer)
		if err != nil || m.Withdraw || answer.Decision != messages.Undecided {
			forget()
			return answer, err
		}
		select {
		case <-decided:
			forget()
		case <-ctx.Done():
			forget()
			return messages.PlanBudgetAnswer{}, ctx.Err()
		}
	}
}
