package orchestration

import "betcode/messages"

// Effects of a step.
type (
	// run spawns the subagent of an attempt and waits for its end, or merges.
	run struct{ attempt }
	// cancelRun ends the subagent of an attempt.
	cancelRun struct {
		attempt

		reason string
	}
)

// attempt identifies an attempt of a step.
type attempt struct {
	step   int
	number int
}

// Effect marks an effect.
func (run) Effect() {}

// Effect marks an effect.
func (cancelRun) Effect() {}

// Messages of a step besides requests of clients.
type (
	// resumed reports that the state was read from the journal.
	resumed struct{}
	// ended reports the outcome of an attempt.
	ended struct {
		attempt

		outcome Outcome
	}
	// retryDue is sent when the delay before the next attempt of a step has elapsed.
	retryDue struct{ attempt }
	// limitChanged reports that the limit of running steps may have been raised.
	limitChanged struct{}
)

// Outcome is the outcome of a subagent or a merge.
type Outcome struct {
	Status    messages.StepStatus // completed, failed or cancelled
	Summary   string
	Error     string
	Conflicts []string // paths because of which a merge failed
	Usage     messages.OrchestrationUsage
}
