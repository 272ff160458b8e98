package orchestration

import (
	"context"

	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/messages/plan"
)

// Deps is what orchestrations need of the system.
type Deps struct {
	act.Common

	Registry  *Registry
	Subagents Subagents
	Places    func() int // steps of one plan that may run at the same time
	// Spent returns the consumption of a subagent so far. It is not known just after the start of the daemon.
	Spent func(messages.SessionID) (spent messages.Spent, known bool)
}

// Subagents starts subagents and waits for them, and merges their branches. Its functions wait: workers call them.
type Subagents struct {
	Spawn  func(ctx context.Context, m messages.SpawnSubagent, place Place) error // an existing subagent is no error
	Wait   func(ctx context.Context, id messages.SessionID) (Outcome, error)
	Cancel func(ctx context.Context, id messages.SessionID, reason string) error
	Merge  func(ctx context.Context, m Merge) (Outcome, error) // a merge that was made before is no error

	// Budget requests a decision about the budget of a plan and waits for it; a withdrawal does not wait.
	Budget func(ctx context.Context, m messages.AskPlanBudget) (messages.PlanBudgetAnswer, error)
}

// Place is where a subagent works, in addition to its request.
type Place struct {
	Tree  *Worktree // nil = no worktree is made for it
	Agent bool      // an agent has submitted the plan: the subagent works in the parent's directory
}

// Worktree is a worktree that is made for a subagent, unless it exists.
type Worktree struct {
	Name, Branch, Base string
	Directory          string // of the repository; empty = the parent's
}

// Merge is the work of a step without a subagent.
type Merge struct {
	messages.MergeBranches

	Parent   messages.SessionID
	Worktree string // whose repository it is; empty = that of Directory, or of the parent's
	Sources  []plan.Source
	Agent    bool // an agent has submitted the plan: files change in the parent's directory only
}
