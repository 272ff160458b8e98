package orchestration

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/messages/plan"
)

// env is the input of a step besides its state and its message.
type env struct {
	now      time.Time
	limit    int                                                         // steps that may run at the same time
	spending func(messages.SessionID) (spent messages.Spent, known bool) // consumption of a subagent so far
}

// transition is one step under way.
type transition struct {
	env
	*state

	events  []messages.OrchestrationEvent
	effects []act.Effect
}

// step handles a message and changes the state. It returns the events, which are written before the effects are performed.
func (s *state) step(e env, from *actor.PID, message any) ([]messages.OrchestrationEvent, []act.Effect) {
	t := &transition{env: e, state: s}
	restored := s.restored
	switch m := message.(type) {
	case resumed:
		t.resume()
	case ended:
		t.attemptEnded(m)
	case retryDue:
		if step := &t.steps[m.step]; step.status == messages.StepWaiting && step.attempt == m.number {
			t.becomeReady(m.step)
		}
	case messages.CancelOrchestration:
		t.answer(from, t.cancel(m))
	case messages.RetryOrchestration:
		t.answer(from, t.retry(m))
	case messages.PauseOrchestration:
		t.answer(from, t.pause(m))
	case budgetAnswered:
		t.budgetAnswered(m)
	case limitChanged:
	}
	if restored && !t.restored {
		t.resume()
	}
	t.schedule()
	t.finish()
	return t.events, t.effects
}

// answer answers a request with the state after it, or with its refusal.
func (t *transition) answer(to *actor.PID, err *messages.Error) {
	if err != nil {
		t.effects = append(t.effects, act.Reply{To: to, With: err})
		return
	}
	t.effects = append(t.effects, act.Reply{To: to, With: viewWanted{}})
}

// viewWanted stands for the view at the time when the answer is sent.
type viewWanted struct{}

func (t *transition) emit(e messages.OrchestrationEvent) {
	e.Seq, e.At = t.head+1, t.now
	t.apply(e)
	t.events = append(t.events, e)
}

// resume continues after a restart: running attempts are spawned again, which finds them. An orchestration from a backup does
// not continue by itself.
func (t *transition) resume() {
	if t.asking {
		t.effects = append(t.effects, askBudget{t.question()})
	}
	for i := range t.steps {
		step := &t.steps[i]
		if t.restored && active(step.status) {
			continue
		}
		switch step.status {
		case messages.StepRunning:
			t.effects = append(t.effects, run{attempt{i, step.attempt}})
		case messages.StepCancelling:
			at := attempt{i, step.attempt}
			t.effects = append(t.effects, run{at}, cancelRun{at, t.reason})
		case messages.StepWaiting:
			t.effects = append(t.effects, act.After{Delay: max(step.due.Sub(t.now), 0), Message: retryDue{attempt{i, step.attempt}}})
		case messages.StepPending, messages.StepCompleted, messages.StepFailed, messages.StepBlocked, messages.StepCancelled:
		}
	}
}

// schedule starts ready steps as long as there are places.
func (t *transition) schedule() {
	limit := t.limit
	if most := t.Plan.MaxParallel; most > 0 {
		limit = min(limit, most)
	}
	for t.phase == messages.OrchestrationRunning && !t.paused && !t.asking && !t.refused && t.running < limit && len(t.ready) > 0 {
		i := t.ready[0]
		t.ready = t.ready[1:]
		if status := t.steps[i].status; status != messages.StepPending && status != messages.StepWaiting {
			continue
		}
		if t.budgetUsed() {
			t.ready = slices.Insert(t.ready, 0, i)
			return
		}
		p, number := t.Plan.Steps[i], t.steps[i].attempt+1
		started := messages.OrchestrationEvent{Kind: messages.EventStepStarted, Step: p.ID, Attempt: number}
		if p.Merge == nil {
			started.Subagent = subagentID(t.ID, p.ID, number)
		}
		t.emit(started)
		t.effects = append(t.effects, run{attempt{i, number}})
	}
}

// becomeReady queues a step whose delay has elapsed. Its status stays waiting until it starts.
func (t *transition) becomeReady(i int) { t.ready = append(t.ready, i) }

// attemptEnded handles the outcome of an attempt.
func (t *transition) attemptEnded(m ended) {
	step := &t.steps[m.step]
	if !active(step.status) || step.attempt != m.number {
		return
	}
	p := t.Plan.Steps[m.step]
	e := messages.OrchestrationEvent{Step: p.ID, Attempt: m.number, Subagent: step.subagent, Usage: m.outcome.Usage}
	switch {
	case m.outcome.Status == messages.StepCompleted:
		e.Kind, e.Summary, e.Completed = messages.EventStepCompleted, bounded(m.outcome.Summary, maxSummary), t.done+1
		t.emit(e)
	case m.outcome.Status == messages.StepCancelled, step.status == messages.StepCancelling:
		e.Kind, e.Error = messages.EventStepCancelled, orElse(orElse(step.problem, bounded(m.outcome.Error, maxProblem)), "cancelled")
		e.Blocked = t.blockedBy(m.step)
		t.emit(e)
	default:
		e.Kind, e.Error, e.Conflicts = messages.EventStepFailed, orElse(bounded(m.outcome.Error, maxProblem), "failed"), m.outcome.Conflicts
		e.WillRetry = t.phase == messages.OrchestrationRunning && step.tries < p.Tries()
		if !e.WillRetry {
			e.Blocked = t.blockedBy(m.step)
		}
		t.emit(e)
		if e.WillRetry {
			t.effects = append(t.effects, act.After{Delay: p.RetryDelay, Message: retryDue{attempt{m.step, m.number}}})
		} else if t.Plan.Policy() == plan.StopAll && t.phase == messages.OrchestrationRunning {
			t.stop("step " + p.ID + " failed: " + e.Error)
		}
	}
}

// stop cancels the running steps and starts no others.
func (t *transition) stop(reason string) {
	if t.asking {
		t.effects = append(t.effects, dropBudget{})
	}
	t.emit(messages.OrchestrationEvent{Kind: messages.EventStopping, Error: bounded(reason, maxProblem)})
	for i := range t.steps {
		if t.steps[i].status == messages.StepCancelling {
			t.effects = append(t.effects, cancelRun{attempt{i, t.steps[i].attempt}, reason})
		}
	}
}

// finish ends the orchestration if no step runs and none will.
func (t *transition) finish() {
	switch {
	case t.running > 0:
	case t.phase == messages.OrchestrationStopping:
		t.emit(messages.OrchestrationEvent{
			Kind: messages.EventFailed, Error: t.reason, Completed: t.done, Failed: t.failed, Usage: t.usage,
		})
	case t.phase == messages.OrchestrationRunning && t.left == 0:
		t.emit(messages.OrchestrationEvent{Kind: messages.EventCompleted, Completed: t.done, Failed: t.failed, Usage: t.usage})
	}
}

// carriesOn reports whether dependants of a failed step start all the same.
func (s *state) carriesOn() bool { return s.Plan.Policy() == plan.Continue }

// blockedBy returns the steps that will not start because a step has not completed.
func (s *state) blockedBy(i int) []string {
	if s.carriesOn() {
		return nil
	}
	return s.reachable(i)
}

// reachable returns the unfinished steps that depend on a step, directly or not. It does not pass steps that have ended, because
// their dependants were decided then.
func (s *state) reachable(from int) []string {
	var ids []string
	seen, queue := map[int]bool{}, []int{from}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, d := range s.dependants[at] {
			if !seen[d] && !over(s.steps[d].status) {
				seen[d] = true
				ids = append(ids, s.Plan.Steps[d].ID)
				queue = append(queue, d)
			}
		}
	}
	return ids
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
