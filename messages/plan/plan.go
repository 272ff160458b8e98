package plan

import "time"

// Strategy is in which order steps start. Stored: append only.
type Strategy string

// The strategies. An empty one is DAG.
const (
	DAG        Strategy = "dag"        // each when those that it depends on have ended
	Parallel   Strategy = "parallel"   // all at once; no step names dependencies
	Sequential Strategy = "sequential" // one after the other; no step names dependencies
)

// OnFailure is what the failure of a step does to others. Stored: append only.
type OnFailure string

// The policies. An empty one is FailDependants.
const (
	FailDependants OnFailure = "fail_dependants" // steps that depend on it fail; others go on
	Continue       OnFailure = "continue"        // steps that depend on it start without its result
	StopAll        OnFailure = "stop_all"        // steps that run are cancelled, and none starts
)

// Lease is how a step shares its worktree. Stored: append only.
type Lease string

// The leases. An empty one is none.
const (
	Shared    Lease = "shared"
	Exclusive Lease = "exclusive"
)

// Plan is what an orchestration does. The JSON form is stored: names are never changed.
type Plan struct {
	Name        string    `json:"name,omitempty"` // for people
	Strategy    Strategy  `json:"strategy,omitempty"`
	MaxParallel int       `json:"max_parallel,omitempty"` // steps that run at the same time; 0 = as many as the daemon admits
	OnFailure   OnFailure `json:"on_failure,omitempty"`
	Steps       []Step    `json:"steps"`
}

// Step is one subagent of a plan.
type Step struct {
	ID          string        `json:"id"`
	Name        string        `json:"name,omitempty"` // for people; empty = the id
	Prompt      string        `json:"prompt"`
	Model       string        `json:"model,omitempty"`     // empty = the parent's
	Directory   string        `json:"directory,omitempty"` // absolute; empty = the worktree's, or the parent's
	Worktree    string        `json:"worktree,omitempty"`  // id, its beginning, or name
	Lease       Lease         `json:"lease,omitempty"`     // needs Worktree
	Tools       []string      `json:"tools,omitempty"`     // that it has; empty = those of any session
	DependsOn   []string      `json:"depends_on,omitempty"`
	MaxTurns    int           `json:"max_turns,omitempty"`    // 0 = no limit
	AutoApprove *AutoApprove  `json:"auto_approve,omitempty"` // nil = its calls are not approved
	Attempts    int           `json:"attempts,omitempty"`     // at most, the first included; 0 = 1
	RetryDelay  time.Duration `json:"retry_delay,omitempty"`  // before the next attempt
	Timeout     time.Duration `json:"timeout,omitempty"`      // of each attempt; 0 = none
	BudgetUSD   float64       `json:"budget_usd,omitempty"`   // of each attempt; 0 = no limit
}

// AutoApprove bounds calls that are approved without a person. Zero members are the daemon's defaults.
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

// Tries returns how many attempts a step has.
func (s Step) Tries() int { return max(s.Attempts, 1) }

// Order returns the strategy, never empty.
func (p Plan) Order() Strategy {
	if p.Strategy == "" {
		return DAG
	}
	return p.Strategy
}

// Policy returns what a failure does, never empty.
func (p Plan) Policy() OnFailure {
	if p.OnFailure == "" {
		return FailDependants
	}
	return p.OnFailure
}

// Dependencies returns for each step the indexes of the steps that it waits for, in the order of the plan's text. The plan
// was checked.
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

// places maps ids to indexes; of an id that is there twice, to the first.
func (p Plan) places() map[string]int {
	place := make(map[string]int, len(p.Steps))
	for i, s := range p.Steps {
		if _, twice := place[s.ID]; !twice {
			place[s.ID] = i
		}
	}
	return place
}
