package plan

import (
	"slices"
	"strings"
	"time"
)

// Strategy is the order in which steps start. Stored: append only.
type Strategy string

// The strategies. An empty one is DAG.
const (
	DAG        Strategy = "dag"        // each when those that it depends on have ended
	Parallel   Strategy = "parallel"   // all at once; no step names dependencies
	Sequential Strategy = "sequential" // one after the other; no step names dependencies
)

// OnFailure is the effect of a failed step on other steps. Stored: append only.
type OnFailure string

// The policies. An empty one is FailDependants.
const (
	FailDependants OnFailure = "fail_dependants" // steps that depend on it fail; others continue
	Continue       OnFailure = "continue"        // steps that depend on it start without its result
	StopAll        OnFailure = "stop_all"        // running steps are cancelled, and none starts
)

// Lease is how a step shares its worktree. Stored: append only.
type Lease string

// The leases. An empty one is none.
const (
	Shared    Lease = "shared"
	Exclusive Lease = "exclusive"
)

// Plan is what an orchestration does. Stored as JSON: the names must not change.
type Plan struct {
	Name        string    `json:"name,omitempty"` // for people
	Strategy    Strategy  `json:"strategy,omitempty"`
	MaxParallel int       `json:"max_parallel,omitempty"` // steps that run at the same time; 0 = as many as the daemon admits
	OnFailure   OnFailure `json:"on_failure,omitempty"`
	Budget      Budget    `json:"budget,omitzero"` // of all steps together; when it is used, the plan starts no further step, and asks
	Steps       []Step    `json:"steps"`
}

// Budget is how much may be consumed; zero members limit nothing. Its fields are those of messages.BudgetLimit.
type Budget struct {
	Micros uint64        `json:"micros,omitempty"` // millionths of a US dollar
	Tokens uint64        `json:"tokens,omitempty"`
	Work   time.Duration `json:"work,omitempty"` // of turns
}

// Step is one subagent of a plan, or a merge.
type Step struct {
	ID          string        `json:"id"`
	Name        string        `json:"name,omitempty"`      // for people; empty = the id
	Prompt      string        `json:"prompt,omitempty"`    // required, unless Merge is set
	Model       string        `json:"model,omitempty"`     // empty = the parent's
	Directory   string        `json:"directory,omitempty"` // absolute; empty = the worktree's, or the parent's
	Worktree    string        `json:"worktree,omitempty"`  // id, prefix of the id, or name; with Branch the name of the new worktree
	Branch      string        `json:"branch,omitempty"`    // the step gets a worktree with this branch, which is created if it does not exist
	Base        string        `json:"base,omitempty"`      // where a new Branch begins; empty = the revision checked out in the directory
	Lease       Lease         `json:"lease,omitempty"`     // needs Worktree
	Tools       []string      `json:"tools,omitempty"`     // empty = as any session
	DependsOn   []string      `json:"depends_on,omitempty"`
	MaxTurns    int           `json:"max_turns,omitempty"`    // 0 = no limit
	AutoApprove *AutoApprove  `json:"auto_approve,omitempty"` // nil = its calls are not approved
	Attempts    int           `json:"attempts,omitempty"`     // at most, including the first; 0 = 1
	RetryDelay  time.Duration `json:"retry_delay,omitempty"`  // before the next attempt
	Timeout     time.Duration `json:"timeout,omitempty"`      // of each attempt; 0 = none
	BudgetUSD   float64       `json:"budget_usd,omitempty"`   // of each attempt; 0 = no limit
	Budget      Budget        `json:"budget,omitzero"`        // of each attempt; when it is used, the subagent pauses and asks
	Merge       *Merge        `json:"merge,omitempty"`        // nil = the step is a subagent
}

// Merge merges branches into another one: all of them, or none if one has conflicts.
type Merge struct {
	Branches []string `json:"branches,omitempty"` // in order; empty = the branches of the steps that it depends on
	Into     string   `json:"into"`               // branch; if it is checked out, its files change as well
}

// AutoApprove bounds calls that are approved without a person. Zero fields mean the daemon's defaults.
type AutoApprove struct {
	Duration  time.Duration `json:"duration,omitempty"`
	PerMinute int           `json:"per_minute,omitempty"`
	Queue     bool          `json:"queue,omitempty"`    // a call above the rate waits; otherwise it is denied
	Unfenced  bool          `json:"unfenced,omitempty"` // the agent may write outside its directory
}

// Title returns the name of a step for people.
func (s Step) Title() string {
	if s.Name != "" {
		return s.Name
	}
	return s.ID
}

// WorktreeName returns the name of the worktree that is created for a step with a branch.
func (s Step) WorktreeName() string {
	if s.Worktree != "" {
		return s.Worktree
	}
	return strings.ReplaceAll(s.Branch, "/", "-")
}

// Source is a branch to merge, by its name or by the worktree in which it is checked out.
type Source struct{ Branch, Worktree string }

// Sources returns the branches that a merge step merges, in order and without duplicates. needs are the
// steps that it depends on.
func (p Plan) Sources(i int, needs []int) []Source {
	var all []Source
	add := func(s Source) {
		if s != (Source{}) && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	m := p.Steps[i].Merge
	for _, branch := range m.Branches {
		add(Source{Branch: branch})
	}
	if len(m.Branches) > 0 {
		return all
	}
	for _, n := range needs {
		if step := p.Steps[n]; step.Branch != "" {
			add(Source{Branch: step.Branch})
		} else {
			add(Source{Worktree: step.Worktree})
		}
	}
	return all
}

// Tries returns the maximum number of attempts, at least 1.
func (s Step) Tries() int { return max(s.Attempts, 1) }

// Order returns the strategy, never empty.
func (p Plan) Order() Strategy {
	if p.Strategy == "" {
		return DAG
	}
	return p.Strategy
}

// Policy returns the failure policy, never empty.
func (p Plan) Policy() OnFailure {
	if p.OnFailure == "" {
		return FailDependants
	}
	return p.OnFailure
}

// Dependencies returns for each step the indexes of the steps that it waits for, in the order of DependsOn. The plan
// must be checked.
func (p Plan) Dependencies() [][]int {
	needs := make([][]int, len(p.Steps))
	if p.Order() == Sequential {
		for i := 1; i < len(p.Steps); i++ {
			needs[i] = []int{i - 1}
		}
		return needs
	}
	place := p.places()
	for i, s := range p.Steps {
		for _, id := range s.DependsOn {
			needs[i] = append(needs[i], place[id])
		}
	}
	return needs
}

// places maps ids to indexes; a duplicate id to the first.
func (p Plan) places() map[string]int {
	place := make(map[string]int, len(p.Steps))
	for i, s := range p.Steps {
		if _, twice := place[s.ID]; !twice {
			place[s.ID] = i
		}
	}
	return place
}
