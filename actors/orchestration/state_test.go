package orchestration

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

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

// At its budget a plan starts no further step and asks, once for each time; the question survives a crash.
func TestBudgetOfPlan(t *testing.T) {
	p := steps(needs("a"), needs("b", "a"), needs("c", "b"))
	p.Budget = plan.Budget{Micros: 100}
	w := newWorld(p)
	spend := func(step string, micros uint64) {
		w.end(step, Outcome{Status: messages.StepCompleted, Usage: messages.OrchestrationUsage{Spent: messages.Spent{Micros: micros}}})
	}
	decide := func(d messages.Decision) {
		w.send(budgetAnswered{w.state.asked, messages.PlanBudgetAnswer{Decision: d}})
	}
	w.send(resumed{})
	spend("a", 250)
	w.want(t, "a=completed b=pending c=pending", messages.OrchestrationRunning)
	w.crash()
	w.sync()
	if len(w.questions) != 2 || w.questions[0] != w.questions[1] || w.questions[0].Spent.Micros != 250 || w.view(false).Held != messages.HeldByPlan {
		t.Fatalf("%+v", w.questions)
	}
	decide(messages.AllowOnce)
	w.want(t, "a=completed b=running c=pending", messages.OrchestrationRunning)
	if v := w.view(false); v.Limit.Micros != 300 || v.Held != "" {
		t.Errorf("%+v", v)
	}
	spend("b", 100)
	w.send(budgetAnswered{1, messages.PlanBudgetAnswer{Decision: messages.AllowOnce}}) // of an earlier question
	w.want(t, "a=completed b=completed c=pending", messages.OrchestrationRunning)
	decide(messages.Deny)
	w.crash()
	w.sync()
	if v := w.view(false); !v.Refused || v.Held != messages.HeldByPlan || len(w.questions) != 3 {
		t.Errorf("%+v, %d questions", v, len(w.questions))
	}
	w.send(messages.PauseOrchestration{}) // a person lets it go on: it asks again
	if len(w.questions) != 4 || w.questions[3].Request == w.questions[2].Request {
		t.Errorf("%+v", w.questions)
	}
	decide(messages.AllowOnce)
	w.want(t, "a=completed b=completed c=running", messages.OrchestrationRunning)
	spend("c", 1)
	w.want(t, "a=completed b=completed c=completed", messages.OrchestrationCompleted)
}

// The consumption of running steps counts before they end. Until it is known, no step starts.
func TestBudgetOfPlanCountsRunningSteps(t *testing.T) {
	p := steps(needs("a"), needs("b"), needs("c", "b"))
	p.Budget = plan.Budget{Micros: 100}
	w := newWorld(p)
	w.send(resumed{})
	w.live = map[messages.SessionID]messages.Spent{w.steps[0].subagent: {Micros: 250}}
	w.unknown = true
	w.complete("b", "")
	w.want(t, "a=running b=completed c=pending", messages.OrchestrationRunning)
	if len(w.questions) != 0 {
		t.Fatal("people are asked before the consumption is known")
	}
	w.unknown = false
	w.send(limitChanged{})
	w.want(t, "a=running b=completed c=pending", messages.OrchestrationRunning)
	if len(w.questions) != 1 || w.questions[0].Spent.Micros != 250 {
		t.Fatalf("%+v", w.questions)
	}
	w.live = nil // the subagent's actor of the next daemon has not reported yet
	w.crash()
	w.sync()
	if len(w.questions) != 2 || w.questions[1] != w.questions[0] {
		t.Errorf("%+v", w.questions)
	}
	w.send(budgetAnswered{w.state.asked, messages.PlanBudgetAnswer{Decision: messages.AllowOnce}})
	w.want(t, "a=running b=completed c=running", messages.OrchestrationRunning)
	if limit := w.view(false).Limit.Micros; limit != 300 {
		t.Errorf("raised to %d", limit)
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

func TestClientsCancel(t *testing.T) {
	w := newWorld(steps(needs("a"), needs("b", "a"), needs("c")))
	w.limit = 1
	w.send(resumed{})
	w.send(messages.CancelOrchestration{Step: "c", Reason: "not needed"})
	w.want(t, "a=running b=pending c=cancelled", messages.OrchestrationRunning)
	w.send(messages.CancelOrchestration{Step: "a"})
	w.want(t, "a=cancelling b=pending c=cancelled", messages.OrchestrationRunning)
	w.complete("a", "it was faster")
	w.want(t, "a=completed b=running c=cancelled", messages.OrchestrationRunning)
	w.send(messages.CancelOrchestration{})
	w.want(t, "a=completed b=cancelling c=cancelled", messages.OrchestrationStopping)
	w.send(messages.RetryOrchestration{})
	if e, ok := w.answers[len(w.answers)-1].(*messages.Error); !ok || e.Kind != messages.WrongState || e.Hint == "" {
		t.Errorf("answered %v", w.answers[len(w.answers)-1])
	}
	w.crash()
	w.sync()
	if w.cancelled[w.steps[1].subagent] == "" {
		t.Error("nobody cancels b after a crash")
	}
	w.end("b", Outcome{Status: messages.StepCancelled})
	w.want(t, "a=completed b=cancelled c=cancelled", messages.OrchestrationFailed)
	w.send(messages.RetryOrchestration{Step: "b"})
	w.want(t, "a=completed b=running c=cancelled", messages.OrchestrationRunning)
}

func TestPause(t *testing.T) {
	w := newWorld(steps(needs("a"), needs("b", "a")))
	w.send(resumed{})
	w.send(messages.PauseOrchestration{Paused: true})
	w.complete("a", "")
	w.want(t, "a=completed b=pending", messages.OrchestrationRunning)
	w.crash()
	w.sync()
	w.want(t, "a=completed b=pending", messages.OrchestrationRunning)
	w.send(messages.PauseOrchestration{})
	w.want(t, "a=completed b=running", messages.OrchestrationRunning)
}

// An orchestration from a backup starts nothing until a person lets it continue: neither steps that wait nor those that ran.
func TestRestored(t *testing.T) {
	restored := func(w *world) {
		w.journal = append(w.journal, messages.OrchestrationEvent{Seq: w.head + 1, At: w.now, Kind: messages.EventRestored})
		w.crash()
		w.sync()
		clear(w.spawned)
	}
	w := newWorld(steps(needs("a"), needs("b"), needs("c", "b")))
	w.send(resumed{})
	w.complete("b", "")
	restored(w)
	w.send(limitChanged{})
	w.crash()
	w.sync()
	if v := w.view(false); len(w.spawned) > 0 || !v.Paused || v.Reason == "" {
		t.Fatalf("%v %+v", w.spawned, v)
	}
	w.send(messages.PauseOrchestration{})
	w.want(t, "a=running b=completed c=running", messages.OrchestrationRunning)
	if len(w.spawned) != 2 || w.view(false).Reason != "" {
		t.Errorf("%v", w.spawned)
	}

	w = newWorld(steps(needs("a"), needs("b", "a")))
	w.send(resumed{})
	restored(w)
	w.send(messages.CancelOrchestration{})
	if len(w.spawned) != 1 || len(w.cancelled) != 1 { // a subagent that is there is found, and ended
		t.Errorf("%v %v", w.spawned, w.cancelled)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		m  any
		op string
	}{
		{messages.CancelOrchestration{Step: "z"}, "cancel orchestration"},
		{messages.RetryOrchestration{Step: "z"}, "retry orchestration"},
		{messages.RetryOrchestration{Step: "a"}, "retry orchestration"},
		{messages.RetryOrchestration{}, "retry orchestration"},
		{messages.PauseOrchestration{Paused: true}, "pause orchestration"},
		{messages.PauseOrchestration{}, "resume orchestration"},
	} {
		w := newWorld(steps(needs("a")))
		w.send(resumed{})
		w.complete("a", "")
		head := w.head
		w.send(c.m)
		if e, ok := w.answers[0].(*messages.Error); !ok || e.Op != c.op || e.Hint == "" || w.head != head {
			t.Errorf("%+v: %v", c.m, w.answers[0])
		}
	}
}

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
