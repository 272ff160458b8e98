package orchestration

import (
	"betcode/messages"
)

// maxEvents bounds the journal of one orchestration. The largest plan with all its attempts has a fifth of it.
const maxEvents = 100_000

// cancel stops the plan, or ends one step.
func (t *transition) cancel(m messages.CancelOrchestration) *messages.Error {
	const op = "cancel orchestration"
	why := "cancelled by a client"
	if m.Reason != "" {
		why += ": " + bounded(m.Reason, maxProblem)
	}
	if m.Step == "" {
		if t.phase == messages.OrchestrationRunning {
			t.stop(why)
		}
		return nil // it is stopping or has ended
	}
	i, err := t.find(op, m.Step)
	if err != nil {
		return err
	}
	switch t.steps[i].status {
	case messages.StepPending, messages.StepWaiting:
		t.emit(messages.OrchestrationEvent{Kind: messages.EventStepCancelled, Step: m.Step, Error: why, Blocked: t.blockedBy(i), Client: m.Client})
	case messages.StepRunning:
		t.emit(messages.OrchestrationEvent{Kind: messages.EventStepCancelling, Step: m.Step, Attempt: t.steps[i].attempt, Error: why, Client: m.Client})
		t.effects = append(t.effects, cancelRun{attempt{i, t.steps[i].attempt}, why})
	case messages.StepCancelling, messages.StepCompleted, messages.StepFailed, messages.StepBlocked, messages.StepCancelled:
	}
	return nil
}

// retry restarts steps that did not complete.
func (t *transition) retry(m messages.RetryOrchestration) *messages.Error {
	const op = "retry orchestration"
	if t.phase == messages.OrchestrationStopping {
		return messages.Errorf(op, messages.WrongState, "orchestration %s is stopping", t.called()).WithHint("Try again when its steps have ended: betcode orchestrate show " + messages.ShortID(t.ID))
	}
	if t.head >= maxEvents {
		return messages.Errorf(op, messages.Exhausted, "orchestration %s has %d events, no more are kept", t.called(), t.head).WithHint("Begin another one with the steps that are left.")
	}
	var again []string
	for i := range t.steps {
		switch status := t.steps[i].status; {
		case m.Step != "" && t.Plan.Steps[i].ID != m.Step:
		case status == messages.StepFailed, status == messages.StepCancelled:
			again = append(again, t.Plan.Steps[i].ID)
		}
	}
	if m.Step != "" {
		i, err := t.find(op, m.Step)
		if err != nil {
			return err
		}
		if len(again) == 0 {
			return messages.Errorf(op, messages.WrongState, "step %s is %s; only one that failed or was cancelled is retried", m.Step, t.steps[i].status).
				WithHint("'betcode orchestrate show " + messages.ShortID(t.ID) + "' shows which step failed.")
		}
	}
	if len(again) == 0 && t.left == 0 {
		return messages.Errorf(op, messages.WrongState, "every step of orchestration %s has completed", t.called()).WithHint("Begin another orchestration.")
	}
	if len(again) > 0 || t.phase.Ended() {
		t.emit(messages.OrchestrationEvent{Kind: messages.EventRetried, Steps: again, Client: m.Client})
	}
	return nil
}

func (t *transition) pause(m messages.PauseOrchestration) *messages.Error {
	if t.phase != messages.OrchestrationRunning {
		hint := "Start its steps again: betcode orchestrate retry " + messages.ShortID(t.ID)
		if t.phase == messages.OrchestrationCompleted {
			hint = "Begin another orchestration: betcode orchestrate run FILE"
		}
		return messages.Errorf(m.Op(), messages.WrongState, "orchestration %s is %s", t.called(), t.phase).WithHint(hint)
	}
	if t.paused == m.Paused && (m.Paused || !t.refused) {
		return nil
	}
	kind := messages.EventResumed
	if m.Paused {
		kind = messages.EventPaused
	}
	t.emit(messages.OrchestrationEvent{Kind: kind, Client: m.Client})
	return nil
}

func (t *transition) find(op, id string) (int, *messages.Error) {
	if i, known := t.index[id]; known {
		return i, nil
	}
	return 0, messages.Errorf(op, messages.NotFound, "orchestration %s has no step %q", t.called(), bounded(id, 100)).
		WithHint("'betcode orchestrate show " + messages.ShortID(t.ID) + "' lists its steps.")
}

// called returns what people call the orchestration: its name, with the beginning of its id, because every run of a plan has the
// same name.
func (s *state) called() string {
	short := messages.ShortID(s.ID)
	if s.Plan.Name == "" {
		return short
	}
	return s.Plan.Name + " (" + short + ")"
}
