package messages

import (
	"time"

	"betcode/messages/plan"
)

// Messages about orchestrations: plans whose steps are subagents and merges. A request names an orchestration by its id
// or by a prefix of it.

// OrchestrationID identifies one orchestration: a lower-case UUID.
type OrchestrationID string

// OrchestrationRequest is a [Request] that the actor of one orchestration answers.
type OrchestrationRequest interface {
	Request
	// Orchestration returns its id.
	Orchestration() OrchestrationID
}

// CreateOrchestration starts a plan. It is idempotent for the same id with the same plan. Answered with
// [OrchestrationCreated] when the plan is durable.
type CreateOrchestration struct {
	ask
	ID        OrchestrationID // the gateway generates one if the caller has none
	Client    ClientID
	Parent    SessionID // on whose behalf the subagents work; empty = a new session
	Directory string    // of the new session, absolute; required without Parent
	Plan      plan.Plan
	Digest    []byte // of the request
	Agent     bool   // the agent of Parent submits the plan: its steps are confined to the directory and the repository of Parent
}

// OrchestrationCreated answers [CreateOrchestration].
type OrchestrationCreated struct {
	answer
	ID    OrchestrationID
	Steps int
}

// CancelOrchestration ends the running steps and starts no others, or ends one step. Answered with
// [OrchestrationView] when that is durable; agents may still be ending.
type CancelOrchestration struct {
	ask
	ID     OrchestrationID
	Step   string // empty = all
	Client ClientID
	Reason string
}

// RetryOrchestration restarts failed and cancelled steps, each with a new conversation, and the steps that were blocked
// because of them. Answered with [OrchestrationView].
type RetryOrchestration struct {
	ask
	ID     OrchestrationID
	Step   string // empty = all that did not complete
	Client ClientID
}

// PauseOrchestration starts no further steps until it is resumed, or resumes it. Running steps are not affected.
// Answered with [OrchestrationView].
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

// Op returns the operation, for errors.
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

// ReadOrchestration asks for the events of an orchestration after a sequence number. Answered with
// [OrchestrationPage].
type ReadOrchestration struct {
	ask
	ID   OrchestrationID
	From OrchestrationCursor
}

// OrchestrationCursor is a position in the journal of an orchestration, after an event.
type OrchestrationCursor struct {
	Seq    uint64
	Offset int64 // from a page; 0 = the daemon searches for Seq
}

// OrchestrationPage answers [ReadOrchestration].
type OrchestrationPage struct {
	answer
	ID      OrchestrationID
	Total   int                  // steps of the plan
	Titles  map[string]string    // names of steps by id; only if the request has no offset
	Events  []OrchestrationEvent // the next events, at most a few hundred
	Next    OrchestrationCursor  // after the last of Events
	Ended   bool                 // no events follow unless a client retries a step
	Changed <-chan struct{}      // closed when there are further events
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

// Ended reports whether the orchestration is over, unless a client retries a step.
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

// OrchestrationEventKind is the kind of an event. Stored: append only.
type OrchestrationEventKind string

// The kinds.
const (
	EventStepStarted    OrchestrationEventKind = "step_started"    // an attempt is about to be spawned
	EventStepCompleted  OrchestrationEventKind = "step_completed"  //
	EventStepFailed     OrchestrationEventKind = "step_failed"     // an attempt failed; another one follows if WillRetry
	EventStepCancelling OrchestrationEventKind = "step_cancelling" // a client cancels a step that runs
	EventStepCancelled  OrchestrationEventKind = "step_cancelled"
	EventPaused         OrchestrationEventKind = "paused"
	EventResumed        OrchestrationEventKind = "resumed"
	EventRestored       OrchestrationEventKind = "restored"       // it was restored from a backup, and waits for a person
	EventStopping       OrchestrationEventKind = "stopping"       // a failure or a client stops the plan
	EventRetried        OrchestrationEventKind = "retried"        // Steps are started again
	EventBudgetUsed     OrchestrationEventKind = "budget_used"    // no step starts; people are asked for the Asked-th time
	EventBudgetRaised   OrchestrationEventKind = "budget_raised"  // to Limit
	EventBudgetRefused  OrchestrationEventKind = "budget_refused" // no step starts until a person resumes the plan
	EventCompleted      OrchestrationEventKind = "completed"
	EventFailed         OrchestrationEventKind = "failed"
)

// OrchestrationEvent is one thing that happened to an orchestration. Stored: the JSON names must not change.
type OrchestrationEvent struct {
	Seq       uint64                 `json:"seq"` // from 1, dense
	At        time.Time              `json:"at"`
	Kind      OrchestrationEventKind `json:"kind"`
	Step      string                 `json:"step,omitempty"`
	Attempt   int                    `json:"attempt,omitempty"`   // from 1
	Subagent  SessionID              `json:"subagent,omitempty"`  // of the attempt; none for a merge
	Summary   string                 `json:"summary,omitempty"`   // the result of the step
	Error     string                 `json:"error,omitempty"`     // why the step failed or the plan stopped
	Conflicts []string               `json:"conflicts,omitempty"` // paths because of which a merge failed
	WillRetry bool                   `json:"will_retry,omitempty"`
	Blocked   []string               `json:"blocked,omitempty"` // steps that will not start because of it
	Steps     []string               `json:"steps,omitempty"`   // that are retried
	Client    ClientID               `json:"client,omitempty"`
	Asked     int                    `json:"asked,omitempty"` // questions about the budget of the plan
	Limit     *BudgetLimit           `json:"limit,omitempty"` // the budget from here on
	Usage     OrchestrationUsage     `json:"usage,omitzero"`  // of the attempt, as its agent reports; in the last event, of the plan

	Completed int `json:"completed,omitempty"` // steps, this one included
	Failed    int `json:"failed,omitempty"`    // steps that failed, were blocked or cancelled, in the last event
}

// OrchestrationUsage is the consumption that agents report. Stored.
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
	Limit     BudgetLimit        // budget at which the plan starts no further step
	Held      Holding            // why steps wait; empty: no step waits
	Refused   bool               // a person refused to raise it, or the request expired
	Steps     []OrchestrationStepView
}

// OrchestrationStepView is one step.
type OrchestrationStepView struct {
	ID        string
	Name      string
	DependsOn []string
	Status    StepStatus
	Attempt   int       // the newest attempt, from 1; 0 before the first
	Subagent  SessionID // of the newest attempt
	Branch    string    // branch that it works on; empty = that of its directory
	MergeInto string    // branch that it merges into; empty = the step is a subagent
	Conflicts []string  // paths because of which the merge failed
	Summary   string
	Error     string
	StartedAt time.Time
	EndedAt   time.Time
	Usage     OrchestrationUsage // of all attempts that have ended
}
