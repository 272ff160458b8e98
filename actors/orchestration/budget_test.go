package orchestration

import (
	"testing"

	"betcode/messages"
	"betcode/messages/plan"
)

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
