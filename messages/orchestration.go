package messages

import (
	"time"

	"betcode/messages/plan"
)

// The conversation about orchestrations: plans whose steps are subagents and merges. Where a request names an orchestration, it takes the
// id or the beginning of one.

// OrchestrationID identifies one orchestration: a lower-case UUID.
type OrchestrationID string

// OrchestrationRequest is a [Request] that the actor of one orchestration answers.
type OrchestrationRequest interface {
	Request
	// Orchestration returns which one.
	Orchestration() OrchestrationID
}

// CreateOrchestration starts a plan. The same id with the same plan answers as before. Answered with [OrchestrationCreated]
// when the plan is durable.
type CreateOrchestration struct {
	ask
	ID        OrchestrationID // made by the gateway if the caller has none
	Client    ClientID
	Parent    SessionID // on whose behalf the subagents work; empty = a session that is made for it
	Directory string    // absolute, of the session that is made; required without Parent
	Plan      plan.Plan
	Digest    []byte // of the request
	Agent     bool   // the agent of Parent submits the plan: it is kept to the directory and the repository of Parent
}

// OrchestrationCreated answers [CreateOrchestration].
type OrchestrationCreated struct {
	answer
	ID    OrchestrationID
	Steps int
}

// CancelOrchestration ends the steps that run and starts no others, or does so with one step. Answered with
// [OrchestrationView] when that is durable; agents may still be ending.
type CancelOrchestration struct {
	ask
	ID     OrchestrationID
	Step   string // empty = all
	Client ClientID
	Reason string
}

// RetryOrchestration starts steps again that failed or were cancelled, with a new conversation, and those that were blocked
// because of them. Answered with [OrchestrationView].
type RetryOrchestration struct {
	ask
	ID     OrchestrationID
	Step   string // empty = all that did not complete
	Client ClientID
}

// PauseOrchestration starts no further steps, or goes on. Steps that run are left. Answered with [OrchestrationView].
type PauseOrchestration struct {
	ask
	ID     OrchestrationID
	Paused bool
	Client ClientID
}

// Orchestration implements [OrchestrationRequest].
func (m CancelOrchestration) Orchestration() OrchestrationID { return m.ID }

// Orchestration implements [OrchestrationRequest].
func (m RetryOrchestration) Orchestration() OrchestrationID { return m.ID }

// Orchestration implements [OrchestrationRequest].
func (m PauseOrchestration) Orchestration() OrchestrationID { return m.ID }

// Op returns what is asked for, as errors name it.
func (m PauseOrchestration) Op() string {
	if m.Paused {
		return "pause orchestration"
	}
	return "resume orchestration"
}

// GetOrchestration asks for one orchestration. Answered with [OrchestrationView], from its journal.
type GetOrchestration struct {
	ask
	ID OrchestrationID
}

// ListOrchestrations asks for all orchestrations. Answered with [OrchestrationList].
type ListOrchestrations struct{ ask }

// OrchestrationList answers [ListOrchestrations], newest first, without their steps.
type OrchestrationList struct {
	answer
	Orchestrations []OrchestrationView
}

// ReadOrchestration asks for the events of an orchestration behind a number. Answered with [OrchestrationPage].
type ReadOrchestration struct {
	ask
	ID   OrchestrationID
	From OrchestrationCursor
}

// OrchestrationCursor is a place in the journal of an orchestration: behind an event.
type OrchestrationCursor struct {
	Seq    uint64
	Offset int64 // as a page has said; 0 = the daemon searches it
}

// OrchestrationPage answers [ReadOrchestration].
type OrchestrationPage struct {
	answer
	ID      OrchestrationID
	Total   int                  // steps of the plan
	Titles  map[string]string    // names of steps by their ids; only without an offset
	Events  []OrchestrationEvent // the next ones, at most some hundred
	Next    OrchestrationCursor  // behind the last of them
	Ended   bool                 // there are no others unless somebody retries a step
	Changed <-chan struct{}      // closed when there are others
}

// OrchestrationState is how far an orchestration has come. Stored: append only.
type OrchestrationState string

// The states.
const (
	OrchestrationRunning   OrchestrationState = "running"
	OrchestrationStopping  OrchestrationState = "stopping" // no step starts; those that run are being cancelled
	OrchestrationCompleted OrchestrationState = "completed"
	OrchestrationFailed    OrchestrationState = "failed" // it was stopped, by a failure or a client
)

// Ended reports whether nothing happens any more by itself.
func (s OrchestrationState) Ended() bool {
	return s == OrchestrationCompleted || s == OrchestrationFailed
}

// StepStatus is how far a step has come.
type StepStatus string

// The statuses.
const (
	StepPending    StepStatus = "pending"
	StepRunning    StepStatus = "running"
	StepWaiting    StepStatus = "waiting" // for the delay before its next attempt
	StepCancelling StepStatus = "cancelling"
	StepCompleted  StepStatus = "completed"
	StepFailed     StepStatus = "failed"
	StepBlocked    StepStatus = "blocked" // a step that it depends on did not complete
	StepCancelled  StepStatus = "cancelled"
)

// OrchestrationEventKind says what happened. Stored: append only.
type OrchestrationEventKind string

// The kinds.
const (
	EventStepStarted    OrchestrationEventKind = "step_started"    // an attempt is about to be spawned
	EventStepCompleted  OrchestrationEventKind = "step_completed"  //
	EventStepFailed     OrchestrationEventKind = "step_failed"     // an attempt failed; WillRetry says whether there is another
	EventStepCancelling OrchestrationEventKind = "step_cancelling" // a client cancels a step that runs
	EventStepCancelled  OrchestrationEventKind = "step_cancelled"
	EventPaused         OrchestrationEventKind = "paused"
	EventResumed        OrchestrationEventKind = "resumed"
	EventRestored       OrchestrationEventKind = "restored"       // it came out of a backup, and waits for a person
	EventStopping       OrchestrationEventKind = "stopping"       // a failure or a client stops the plan
	EventRetried        OrchestrationEventKind = "retried"        // Steps are started again
	EventBudgetUsed     OrchestrationEventKind = "budget_used"    // no step starts; people are asked, the Asked-th time
	EventBudgetRaised   OrchestrationEventKind = "budget_raised"  // to Limit
	EventBudgetRefused  OrchestrationEventKind = "budget_refused" // no step starts until a person lets the plan go on
	EventCompleted      OrchestrationEventKind = "completed"
	EventFailed         OrchestrationEventKind = "failed"
)

// OrchestrationEvent is one thing that happened to an orchestration. It is stored: names of the JSON form are never changed.
type OrchestrationEvent struct {
	Seq       uint64                 `json:"seq"` // from 1, dense
	At        time.Time              `json:"at"`
	Kind      OrchestrationEventKind `json:"kind"`
	Step      string                 `json:"step,omitempty"`
	Attempt   int                    `json:"attempt,omitempty"`   // from 1
	Subagent  SessionID              `json:"subagent,omitempty"`  // of the attempt; none for a merge
	Summary   string                 `json:"summary,omitempty"`   // the result of the step
	Error     string                 `json:"error,omitempty"`     // or the reason
	Conflicts []string               `json:"conflicts,omitempty"` // paths because of which a merge failed
	WillRetry bool                   `json:"will_retry,omitempty"`
	Blocked   []string               `json:"blocked,omitempty"` // steps that will not start because of it
	Steps     []string               `json:"steps,omitempty"`   // that are retried
	Client    ClientID               `json:"client,omitempty"`
	Asked     int                    `json:"asked,omitempty"` // questions about the budget of the plan
	Limit     *BudgetLimit           `json:"limit,omitempty"` // the budget from here on
	Usage     OrchestrationUsage     `json:"usage,omitzero"`  // of the attempt, as its agent reports; of the plan in its last event

	Completed int `json:"completed,omitempty"` // steps, this one included
	Failed    int `json:"failed,omitempty"`    // steps that failed, were blocked or cancelled, in the last event
}

// OrchestrationUsage is what agents report that they have used. It is stored.
type OrchestrationUsage struct {
	CostUSD      float64 `json:"cost_usd,omitempty"`
	InputTokens  uint64  `json:"input_tokens,omitempty"`
	OutputTokens uint64  `json:"output_tokens,omitempty"`
	Spent        Spent   `json:"spent,omitzero"` // the same as budgets count it
}

// Plus returns the sum of both.
func (u OrchestrationUsage) Plus(v OrchestrationUsage) OrchestrationUsage {
	return OrchestrationUsage{u.CostUSD + v.CostUSD, u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens, u.Spent.Plus(v.Spent)}
}

// OrchestrationView is an orchestration as clients see it.
type OrchestrationView struct {
	answer
	ID        OrchestrationID
	Name      string
	Parent    SessionID
	Client    ClientID
	Strategy  plan.Strategy
	State     OrchestrationState
	Paused    bool
	Reason    string // why it is stopping or was stopped
	CreatedAt time.Time
	EndedAt   time.Time // zero before
	Head      uint64    // number of the newest event
	Total     int       // steps
	Completed int
	Failed    int // or blocked, or cancelled
	Running   int
	Usage     OrchestrationUsage // of attempts that have ended
	Limit     BudgetLimit        // at which the plan starts no further step
	Held      Holding            // steps wait because of it; empty: none does
	Refused   bool               // a person has refused to raise it, or nobody has answered
	Steps     []OrchestrationStepView
}

// OrchestrationStepView is one step.
type OrchestrationStepView struct {
	ID        string
	Name      string
	DependsOn []string
	Status    StepStatus
	Attempt   int       // the newest, from 1; 0 before the first
	Subagent  SessionID // of that
	Branch    string    // that it works on; empty = that of its directory
	MergeInto string    // it merges into this branch; empty = it is a subagent
	Conflicts []string  // paths because of which the merge failed
	Summary   string
	Error     string
	StartedAt time.Time
	EndedAt   time.Time
	Usage     OrchestrationUsage // of all attempts that have ended
}
