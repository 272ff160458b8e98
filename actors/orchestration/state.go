package orchestration

import (
	"time"

	"github.com/google/uuid"

	"betcode/messages"
	"betcode/messages/plan"
	"betcode/persistence/planlog"
)

// header is the first line of a journal: the facts that never change.
type header struct {
	Format    int                      `json:"format"`
	ID        messages.OrchestrationID `json:"id"`
	Client    messages.ClientID        `json:"client,omitempty"`
	Parent    messages.SessionID       `json:"parent"`
	Digest    []byte                   `json:"digest,omitempty"`
	Agent     bool                     `json:"agent,omitempty"`   // the agent of the parent has submitted the plan
	Forward   bool                     `json:"forward,omitempty"` // clients of the parent answer requests of its steps; absent in plans of older builds
	CreatedAt time.Time                `json:"created_at"`
	Plan      plan.Plan                `json:"plan"`
}

const formatVersion = planlog.Format

// stepState is the state of one step.
type stepState struct {
	status    messages.StepStatus
	attempt   int // the newest
	tries     int // attempts since a person last started the step
	subagent  messages.SessionID
	summary   string
	problem   string
	conflicts []string // of a merge that failed
	usage     messages.OrchestrationUsage
	started   time.Time // of the newest attempt
	ended     time.Time
	due       time.Time // of the next attempt, while it waits
	missing   int       // dependencies that it waits for
	startSeq  uint64    // number of the event that started the newest attempt
	doneSeq   uint64    // number of the event that completed it; 0 before
}

// state is an orchestration. Only apply changes it, so that replaying the events of its journal yields the same state. A step
// changes it in place, because a copy of all steps for each event would cost the square of the number of steps.
type state struct {
	header

	needs      [][]int // by step: the steps that it depends on
	dependants [][]int
	index      map[string]int

	steps   []stepState
	ready   []int // may start, in the order in which they became ready; may include steps that are no longer pending
	running int   // steps with an attempt that has not ended
	left    int   // steps that have not ended
	done    int   // completed steps
	failed  int   // steps that ended otherwise
	usage   messages.OrchestrationUsage

	allowance messages.BudgetLimit // of the plan
	asked     int                  // questions about the allowance
	askedAt   messages.Spent       // consumption at the last question, with running steps
	asking    bool                 // a question is open, and no step starts
	refused   bool                 // people have refused, and no step starts

	phase    messages.OrchestrationState
	paused   bool
	restored bool // it is from a backup: nothing is spawned or merged until a person lets it continue
	reason   string
	head     uint64
	ended    time.Time
}

// newState returns the state of a plan without events.
func newState(h header) *state {
	s := &state{header: h, needs: h.Plan.Dependencies(), index: make(map[string]int, len(h.Plan.Steps)), phase: messages.OrchestrationRunning, allowance: messages.BudgetLimit(h.Plan.Budget)}
	var missing []int
	missing, s.dependants = plan.Counters(s.needs)
	s.steps, s.left = make([]stepState, len(h.Plan.Steps)), len(h.Plan.Steps)
	for i, step := range h.Plan.Steps {
		s.index[step.ID] = i
		s.steps[i] = stepState{status: messages.StepPending, missing: missing[i]}
		if missing[i] == 0 {
			s.ready = append(s.ready, i)
		}
	}
	return s
}

// subagents is the namespace of ids of subagents.
var subagents = uuid.MustParse("0e7b4b6e-53c4-4b52-9d2c-3a6f0f8f4f0b")

// subagentID returns the id of the subagent of an attempt. It is always the same, so that spawning can be repeated.
func subagentID(id messages.OrchestrationID, step string, attempt int) messages.SessionID {
	name := string(id) + "\x00" + step + "\x00" + itoa(attempt)
	return messages.SessionID(uuid.NewSHA1(subagents, []byte(name)).String())
}

// active reports whether a step has an attempt that has not ended.
func active(status messages.StepStatus) bool {
	return status == messages.StepRunning || status == messages.StepCancelling
}

// over reports whether a step has ended.
func over(status messages.StepStatus) bool {
	switch status {
	case messages.StepCompleted, messages.StepFailed, messages.StepBlocked, messages.StepCancelled:
		return true
	case messages.StepPending, messages.StepRunning, messages.StepWaiting, messages.StepCancelling:
	}
	return false
}
