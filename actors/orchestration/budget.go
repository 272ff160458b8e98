package orchestration

import (
	"context"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/uuid"

	"betcode/actors/internal/act"
	"betcode/actors/session/budget"
	"betcode/messages"
)

// The budget of a plan counts attempts that have ended, and the consumption so far of running subagents. At the limit the plan
// starts no further step, and the parent session asks people. Running steps continue.

type (
	// askBudget is an effect: create the budget request and wait for its answer.
	askBudget struct{ messages.AskPlanBudget }
	// dropBudget is an effect: withdraw the question.
	dropBudget struct{}
	// budgetAnswered has the decision of people.
	budgetAnswered struct {
		asked  int
		answer messages.PlanBudgetAnswer
	}
)

// Effect marks an effect.
func (askBudget) Effect() {}

// Effect marks an effect.
func (dropBudget) Effect() {}

// budgetUsed reports whether the budget is used up, and if so asks people. While the consumption of running steps is not known,
// the budget counts as used up.
func (t *transition) budgetUsed() bool {
	if t.allowance.IsZero() {
		return false
	}
	spent, known := t.consumed()
	if !known {
		return true
	}
	if t.allowance.Level(spent) != messages.BudgetReached {
		return false
	}
	usage := t.usage
	usage.Spent = spent
	t.emit(messages.OrchestrationEvent{Kind: messages.EventBudgetUsed, Asked: t.asked + 1, Usage: usage})
	t.effects = append(t.effects, askBudget{t.question()})
	return true
}

// consumed returns the consumption of ended attempts and running subagents.
func (t *transition) consumed() (messages.Spent, bool) {
	sum := t.usage.Spent
	for i := range t.steps {
		if step := &t.steps[i]; active(step.status) && step.subagent != "" {
			spent, known := t.spending(step.subagent)
			if !known {
				return sum, false
			}
			sum = sum.Plus(spent)
		}
	}
	return sum, true
}

// question returns the newest question. Its id is the same after a restart.
func (s *state) question() messages.AskPlanBudget {
	name := string(s.ID) + "\x00budget\x00" + itoa(s.asked)
	return messages.AskPlanBudget{
		Session: s.Parent, Request: messages.RequestID(uuid.NewSHA1(subagents, []byte(name)).String()), Plan: s.ID,
		Spent: s.usage.Spent.Max(s.askedAt), Limit: s.allowance, Step: messages.BudgetLimit(s.Plan.Budget),
	}
}

func (t *transition) budgetAnswered(m budgetAnswered) {
	if !t.asking || m.asked != t.asked {
		return
	}
	e := messages.OrchestrationEvent{Kind: messages.EventBudgetRefused, Client: messages.ClientID(m.answer.By)}
	if m.answer.Decision == messages.AllowOnce || m.answer.Decision == messages.AllowSession {
		spent, _ := t.consumed()
		next := budget.Raised(t.allowance, messages.BudgetLimit(t.Plan.Budget), spent.Max(t.askedAt))
		e.Kind, e.Limit = messages.EventBudgetRaised, &next
	}
	t.emit(e)
}

// askBudget asks people on a worker of its own, until they decide or the question is withdrawn.
func (o *orchestration) askBudget(ctx actor.Context, question messages.AskPlanBudget) {
	if o.asking != nil {
		return
	}
	waiting, stop := context.WithCancelCause(o.life)
	o.asking = &runner{worker: act.NewWorker(ctx, o.deps.Workers, o), stop: func(reason string) { stop(cancelledError{reason}) }}
	asked, agents, life := o.state.asked, o.deps.Subagents, o.life
	o.asking.worker.Do(func() any {
		defer stop(nil)
		var answer messages.PlanBudgetAnswer
		err := persist(waiting, func() (err error) { answer, err = agents.Budget(waiting, question); return err })
		switch {
		case life.Err() != nil:
			return nil // the next incarnation continues
		case waiting.Err() != nil:
			question.Withdraw = true
			_ = persist(life, func() error { _, err := agents.Budget(life, question); return err }) // best effort: it expires
			return budgetAnswered{}
		case err != nil:
			answer = messages.PlanBudgetAnswer{Decision: messages.Deny} // the parent session cannot be asked
		}
		return budgetAnswered{asked, answer}
	})
}
