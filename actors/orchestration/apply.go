package orchestration

import (
	"strconv"

	"betcode/messages"
)

func itoa(n int) string { return strconv.Itoa(n) }

// dependencyFailed is the reason why a blocked step does not start.
const dependencyFailed = "dependency failed"

// apply applies an event. It is the only writer of the state.
func (s *state) apply(e messages.OrchestrationEvent) {
	s.head = e.Seq
	switch e.Kind {
	case messages.EventPaused:
		s.paused = true
	case messages.EventResumed:
		s.paused, s.refused, s.restored = false, false, false
	case messages.EventRestored:
		s.paused, s.restored = true, true
	case messages.EventBudgetUsed:
		s.asked, s.asking, s.askedAt = e.Asked, true, e.Usage.Spent
	case messages.EventBudgetRaised:
		s.asking, s.allowance = false, *e.Limit
	case messages.EventBudgetRefused:
		s.asking, s.refused = false, true
	case messages.EventStopping:
		s.stopping(e)
	case messages.EventRetried:
		s.retried(e)
	case messages.EventCompleted:
		s.phase, s.ended = messages.OrchestrationCompleted, e.At
	case messages.EventFailed:
		s.phase, s.reason, s.ended = messages.OrchestrationFailed, e.Error, e.At
	case messages.EventStepStarted, messages.EventStepCompleted, messages.EventStepFailed, messages.EventStepCancelling, messages.EventStepCancelled:
		if i, known := s.index[e.Step]; known {
			s.applyToStep(i, e)
		}
	}
}

func (s *state) applyToStep(i int, e messages.OrchestrationEvent) {
	step := &s.steps[i]
	if e.Kind == messages.EventStepStarted {
		step.attempt, step.subagent, step.started = e.Attempt, e.Subagent, e.At
		step.tries++
		step.problem, step.conflicts, step.startSeq = "", nil, e.Seq
		s.set(i, messages.StepRunning)
		return
	}
	if e.Kind == messages.EventStepCancelling {
		step.problem = e.Error
		s.set(i, messages.StepCancelling)
		return
	}
	s.spent(step, e)
	if e.Kind == messages.EventStepCompleted {
		step.summary, step.doneSeq = e.Summary, e.Seq
		s.set(i, messages.StepCompleted)
		s.release(i)
		return
	}
	step.problem, step.conflicts = e.Error, e.Conflicts
	switch {
	case e.WillRetry:
		step.due = e.At.Add(s.Plan.Steps[i].RetryDelay)
		s.set(i, messages.StepWaiting)
		return
	case e.Kind == messages.EventStepFailed:
		s.set(i, messages.StepFailed)
	default:
		s.set(i, messages.StepCancelled)
	}
	s.block(e)
	if s.carriesOn() {
		s.release(i)
	}
}

// stopping marks the running steps as being cancelled.
func (s *state) stopping(e messages.OrchestrationEvent) {
	s.phase, s.reason, s.asking, s.restored = messages.OrchestrationStopping, e.Error, false, false
	for i := range s.steps {
		switch s.steps[i].status {
		case messages.StepRunning:
			s.steps[i].problem = e.Error
			s.set(i, messages.StepCancelling)
		case messages.StepWaiting:
			s.set(i, messages.StepPending)
		case messages.StepPending, messages.StepCancelling, messages.StepCompleted, messages.StepFailed, messages.StepBlocked, messages.StepCancelled:
		}
	}
}

// set changes the status of a step, and updates the counts.
func (s *state) set(i int, to messages.StepStatus) {
	from := s.steps[i].status
	s.count(from, -1)
	s.count(to, +1)
	s.steps[i].status = to
}

func (s *state) count(status messages.StepStatus, n int) {
	if active(status) {
		s.running += n
	}
	switch {
	case !over(status):
		s.left += n
	case status == messages.StepCompleted:
		s.done += n
	default:
		s.failed += n
	}
}

func (s *state) spent(step *stepState, e messages.OrchestrationEvent) {
	step.ended = e.At
	step.usage = step.usage.Plus(e.Usage)
	s.usage = s.usage.Plus(e.Usage)
}

// release makes the dependants of an ended step ready if it was their last dependency.
func (s *state) release(i int) {
	for _, d := range s.dependants[i] {
		next := &s.steps[d]
		if next.missing--; next.missing == 0 && next.status == messages.StepPending {
			s.ready = append(s.ready, d)
		}
	}
}

// block marks the blocked steps of an event.
func (s *state) block(e messages.OrchestrationEvent) {
	for _, id := range e.Blocked {
		if d, known := s.index[id]; known && !over(s.steps[d].status) {
			s.steps[d].problem, s.steps[d].ended = dependencyFailed, e.At
			s.set(d, messages.StepBlocked)
		}
	}
}

// retried makes steps pending again, with those that were blocked. It then determines anew which are blocked and which are ready.
func (s *state) retried(e messages.OrchestrationEvent) {
	s.phase, s.reason, s.paused, s.refused, s.restored = messages.OrchestrationRunning, "", false, false, false
	for _, id := range e.Steps {
		if i, known := s.index[id]; known && over(s.steps[i].status) {
			s.steps[i].tries = 0
			s.steps[i].problem = ""
			s.set(i, messages.StepPending)
		}
	}
	for i := range s.steps {
		if status := s.steps[i].status; status == messages.StepBlocked || status == messages.StepWaiting {
			s.steps[i].problem = ""
			s.set(i, messages.StepPending)
		}
	}
	if !s.carriesOn() {
		for i := range s.steps {
			if status := s.steps[i].status; status == messages.StepFailed || status == messages.StepCancelled {
				s.block(messages.OrchestrationEvent{At: e.At, Blocked: s.reachable(i)})
			}
		}
	}
	s.recount()
}

// recount determines anew how many dependencies each step waits for, and which steps are ready.
func (s *state) recount() {
	s.ready = nil
	for i := range s.steps {
		s.steps[i].missing = 0
		for _, n := range s.needs[i] {
			if status := s.steps[n].status; !over(status) || status != messages.StepCompleted && !s.carriesOn() {
				s.steps[i].missing++
			}
		}
		if s.steps[i].missing == 0 && s.steps[i].status == messages.StepPending {
			s.ready = append(s.ready, i)
		}
	}
}
