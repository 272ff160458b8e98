package orchestration

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"betcode/messages"
	"betcode/messages/plan"
)

// anyAcyclic draws a plan that may start.
func anyAcyclic(t *rapid.T) plan.Plan {
	n := rapid.IntRange(1, 9).Draw(t, "steps")
	p := plan.Plan{MaxParallel: rapid.IntRange(0, 3).Draw(t, "parallel"), OnFailure: rapid.SampledFrom([]plan.OnFailure{"", plan.Continue, plan.StopAll}).Draw(t, "policy")}
	for i := range n {
		s := needs(fmt.Sprint(i))
		if i > 0 {
			for _, d := range rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 0, min(i, 3), rapid.ID[int]).Draw(t, "needs") {
				s.DependsOn = append(s.DependsOn, fmt.Sprint(d))
			}
		}
		s.Attempts = rapid.IntRange(1, 3).Draw(t, "attempts")
		p.Steps = append(p.Steps, s)
	}
	return p
}

// In any sequence of outcomes, requests and crashes no attempt has two prompts, no step starts before its dependencies have
// ended, no more steps run than may, the journal yields the same state again, and the plan ends.
func TestAnyPlanAnyCrash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(anyAcyclic(t))
		w.limit = rapid.IntRange(1, 4).Draw(t, "limit")
		w.send(resumed{})
		for range rapid.IntRange(0, 60).Draw(t, "doings") {
			w.random(t)
			w.check(t)
		}
		w.sync()
		for range 1000 {
			if w.phase.Ended() {
				break
			}
			w.send(messages.PauseOrchestration{})
			w.fire()
			if len(w.waits) > 0 {
				w.complete(w.Plan.Steps[w.waits[0].step].ID, "x")
			}
			w.check(t)
		}
		if !w.phase.Ended() {
			t.Fatalf("it does not end: %s, %s", w.statuses(), w.phase)
		}
	})
}

func (w *world) random(t *rapid.T) {
	switch rapid.IntRange(0, 9).Draw(t, "doing") {
	case 0:
		w.crash()
	case 1:
		w.fire()
	case 2:
		w.hand(messages.CancelOrchestration{Step: rapid.SampledFrom(w.Plan.Steps).Draw(t, "cancelled").ID})
	case 3:
		if rapid.IntRange(0, 9).Draw(t, "all") == 0 {
			w.hand(messages.CancelOrchestration{})
		}
	case 4:
		w.hand(messages.RetryOrchestration{})
	case 5:
		w.hand(messages.PauseOrchestration{Paused: rapid.Bool().Draw(t, "paused")})
	default:
		if len(w.waits) == 0 {
			w.sync()
			return
		}
		i := rapid.IntRange(0, len(w.waits)-1).Draw(t, "ends")
		a := w.waits[i]
		id := w.spawn(a).Subagent
		outcome, known := w.outcomes[id]
		if !known {
			outcome = Outcome{Status: rapid.SampledFrom([]messages.StepStatus{messages.StepCompleted, messages.StepFailed}).Draw(t, "outcome"), Summary: "s", Error: "e"}
			if w.cancelled[id] != "" {
				outcome.Status = messages.StepCancelled
			}
			w.outcomes[id] = outcome
		}
		w.waits = slices.Delete(w.waits, i, i+1)
		w.hand(ended{a, outcome})
	}
	if rapid.Bool().Draw(t, "sync") {
		w.sync()
	}
}

func (w *world) check(t *rapid.T) {
	if len(w.conflicts) > 0 {
		t.Fatalf("%v have subagents with two prompts", w.conflicts)
	}
	most := w.limit
	if w.Plan.MaxParallel > 0 {
		most = min(most, w.Plan.MaxParallel)
	}
	running, left, done, failed := 0, 0, 0, 0
	for i, s := range w.steps {
		switch {
		case active(s.status):
			running++
			left++
			for _, n := range w.needs[i] {
				if status := w.steps[n].status; status != messages.StepCompleted && !w.carriesOn() {
					t.Fatalf("%s runs, and %s is %s", w.Plan.Steps[i].ID, w.Plan.Steps[n].ID, status)
				}
			}
		case !over(s.status):
			left++
		case s.status == messages.StepCompleted:
			done++
		default:
			failed++
		}
	}
	if running != w.running || left != w.left || done != w.done || failed != w.failed || running > most {
		t.Fatalf("counts %d %d %d %d, found %d %d %d %d of %d", w.running, w.left, w.done, w.failed, running, left, done, failed, most)
	}
	again := newState(w.header)
	for _, e := range w.journal {
		again.apply(e)
	}
	for _, b := range w.pending {
		for _, e := range b.events {
			again.apply(e)
		}
	}
	if live, read := w.view(true), again.view(true); !reflect.DeepEqual(live, read) {
		t.Fatalf("the journal makes another state: %+v, not %+v", read, live)
	}
}

// Scheduling looks at each dependency once: the events and effects of a large plan are as many as its steps, and no list of
// ready steps is searched.
func TestWideAndDeepPlan(t *testing.T) {
	p := plan.Plan{}
	for i := range plan.MaxSteps {
		s := needs(fmt.Sprint(i))
		for d := max(0, i-20); d < i; d++ {
			s.DependsOn = append(s.DependsOn, fmt.Sprint(d))
		}
		p.Steps = append(p.Steps, s)
	}
	w := newWorld(p)
	w.send(resumed{})
	for i := range p.Steps {
		w.complete(fmt.Sprint(i), "done")
	}
	if len(w.journal) != 2*plan.MaxSteps+1 || w.phase != messages.OrchestrationCompleted {
		t.Errorf("%d events, %s", len(w.journal), w.phase)
	}
}
