package orchestration

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"betcode/messages"
	"betcode/messages/plan"
)

func (w *world) want(t *testing.T, statuses string, phase messages.OrchestrationState) {
	t.Helper()
	if got := w.statuses(); got != statuses || w.phase != phase {
		t.Fatalf("%s, %s; want %s, %s", got, w.phase, statuses, phase)
	}
}

func TestStepsStartWhenTheirOwnDependenciesHaveEnded(t *testing.T) {
	w := newWorld(steps(needs("d", "b", "c"), needs("b", "a"), needs("c"), needs("a")))
	w.send(resumed{})
	w.want(t, "d=pending b=pending c=running a=running", messages.OrchestrationRunning)
	w.complete("a", "A is done")
	w.want(t, "d=pending b=running c=running a=completed", messages.OrchestrationRunning)
	w.complete("b", "B is done")
	w.complete("c", "")
	w.want(t, "d=running b=completed c=completed a=completed", messages.OrchestrationRunning)
	if got := w.spawned[w.steps[0].subagent]; got != "[Context from step b]: B is done\n\ndo d" {
		t.Errorf("prompt %q", got)
	}
	w.complete("d", "D")
	w.want(t, "d=completed b=completed c=completed a=completed", messages.OrchestrationCompleted)
	last := w.journal[len(w.journal)-1]
	if last.Kind != messages.EventCompleted || last.Completed != 4 || last.Usage != (messages.OrchestrationUsage{CostUSD: 4, InputTokens: 8, OutputTokens: 12}) {
		t.Errorf("%+v", last)
	}
}

func TestStrategies(t *testing.T) {
	p := steps(needs("a"), needs("b"), needs("c"))
	p.Strategy = plan.Parallel
	w := newWorld(p)
	w.send(resumed{})
	w.want(t, "a=running b=running c=running", messages.OrchestrationRunning)
	p.Strategy = plan.Sequential
	w = newWorld(p)
	w.send(resumed{})
	w.want(t, "a=running b=pending c=pending", messages.OrchestrationRunning)
	w.complete("a", "x")
	w.want(t, "a=completed b=running c=pending", messages.OrchestrationRunning)
	if got := w.spawned[w.steps[1].subagent]; !strings.HasPrefix(got, "[Context from step a]: x") {
		t.Errorf("prompt %q", got)
	}
}

func TestPlaces(t *testing.T) {
	p := steps(needs("a"), needs("b"), needs("c"))
	p.MaxParallel = 2
	w := newWorld(p)
	w.limit = 1
	w.send(resumed{})
	w.want(t, "a=running b=pending c=pending", messages.OrchestrationRunning)
	w.limit = 9
	w.send(limitChanged{})
	w.want(t, "a=running b=running c=pending", messages.OrchestrationRunning)
	w.complete("b", "")
	w.want(t, "a=running b=completed c=running", messages.OrchestrationRunning)
}

func TestFailurePolicies(t *testing.T) {
	for _, c := range []struct {
		policy plan.OnFailure
		after  string
		phase  messages.OrchestrationState
	}{
		{plan.FailDependants, "a=failed b=blocked c=blocked x=running", messages.OrchestrationRunning},
		{plan.Continue, "a=failed b=running c=pending x=running", messages.OrchestrationRunning},
		{plan.StopAll, "a=failed b=blocked c=blocked x=cancelling", messages.OrchestrationStopping},
	} {
		t.Run(string(c.policy), func(t *testing.T) {
			p := steps(needs("a"), needs("b", "a"), needs("c", "b"), needs("x"))
			p.OnFailure = c.policy
			w := newWorld(p)
			w.send(resumed{})
			w.fail("a")
			w.want(t, c.after, c.phase)
			failed := w.journal[slices.IndexFunc(w.journal, func(e messages.OrchestrationEvent) bool { return e.Kind == messages.EventStepFailed })]
			if blocked := strings.Join(failed.Blocked, ","); c.policy != plan.Continue && blocked != "b,c" || c.policy == plan.Continue && blocked != "" {
				t.Errorf("blocked %s", blocked)
			}
			if c.policy == plan.StopAll {
				w.end("x", Outcome{Status: messages.StepCancelled})
				w.want(t, "a=failed b=blocked c=blocked x=cancelled", messages.OrchestrationFailed)
				if v := w.view(true); v.Steps[1].Error != dependencyFailed || v.Reason != "step a failed: broke" {
					t.Errorf("%+v", v)
				}
			}
		})
	}
}

// A merge has the branches of its steps, the same id after a crash, and a result like any other step.
func TestMergeSteps(t *testing.T) {
	a, b := needs("a"), needs("b")
	a.Branch, b.Worktree = "work/a", "tree-b"
	w := newWorld(steps(a, b, plan.Step{ID: "m", DependsOn: []string{"b", "a"}, Merge: &plan.Merge{Into: "main"}, Attempts: 2}, needs("after", "m")))
	w.send(resumed{})
	if tree := w.worktree(attempt{0, 1}); *tree != (Worktree{Name: "work-a", Branch: "work/a"}) || w.worktree(attempt{1, 1}) != nil {
		t.Errorf("%+v", tree)
	}
	w.complete("a", "")
	w.complete("b", "")
	w.want(t, "a=completed b=completed m=running after=pending", messages.OrchestrationRunning)
	w.crash()
	w.sync()
	if len(w.merged) != 2 || !reflect.DeepEqual(w.merged[0], w.merged[1]) || w.merged[0].Into != "main" ||
		!slices.Equal(w.merged[0].Sources, []plan.Source{{Worktree: "tree-b"}, {Branch: "work/a"}}) {
		t.Errorf("%+v", w.merged)
	}
	w.send(ended{attempt{2, 1}, Outcome{Status: messages.StepFailed, Error: "conflicts", Conflicts: []string{"x"}}})
	w.fire()
	if v := w.view(true).Steps[2]; v.Subagent != "" || v.MergeInto != "main" || v.Attempt != 2 || w.merged[2].ID == w.merged[0].ID {
		t.Errorf("%+v", v)
	}
	w.send(ended{attempt{2, 2}, Outcome{Status: messages.StepFailed, Error: "conflicts", Conflicts: []string{"x"}}})
	w.want(t, "a=completed b=completed m=failed after=blocked", messages.OrchestrationCompleted)
	if v := w.view(true).Steps[2]; !slices.Equal(v.Conflicts, []string{"x"}) {
		t.Errorf("%+v", v)
	}
	w.send(messages.RetryOrchestration{})
	w.send(ended{attempt{2, 3}, Outcome{Status: messages.StepCompleted, Summary: "merged"}})
	if got := w.spawned[w.steps[3].subagent]; got != "[Context from step m]: merged\n\ndo after" {
		t.Errorf("prompt %q", got)
	}
}

func TestAttempts(t *testing.T) {
	a := needs("a")
	a.Attempts, a.RetryDelay = 2, time.Minute
	w := newWorld(steps(a, needs("b", "a")))
	w.send(resumed{})
	first := w.steps[0].subagent
	w.fail("a")
	w.want(t, "a=waiting b=pending", messages.OrchestrationRunning)
	w.fire()
	w.want(t, "a=running b=pending", messages.OrchestrationRunning)
	if w.steps[0].subagent == first {
		t.Error("both attempts have one subagent")
	}
	w.fail("a")
	w.want(t, "a=failed b=blocked", messages.OrchestrationCompleted)
	w.send(messages.RetryOrchestration{})
	w.want(t, "a=running b=pending", messages.OrchestrationRunning)
	if w.steps[0].attempt != 3 {
		t.Errorf("attempt %d", w.steps[0].attempt)
	}
	w.complete("a", "")
	w.complete("b", "")
	w.want(t, "a=completed b=completed", messages.OrchestrationCompleted)
}
