package orchestration

import (
	"fmt"
	"strings"
	"time"

	"betcode/messages"
	"betcode/messages/plan"
)

// Create writes the journal of a new orchestration; then [Begin] starts it. A repeated request changes nothing. A plan that
// cannot run is refused.
func (r *Registry) Create(m messages.CreateOrchestration, now time.Time) error {
	if err := Check(m.Plan); err != nil {
		return err
	}
	return r.create(header{
		Format: formatVersion, ID: m.ID, Client: m.Client, Parent: m.Parent, Digest: m.Digest, Agent: m.Agent, Forward: true, CreatedAt: now, Plan: m.Plan,
	})
}

// Check refuses a plan that cannot run.
func Check(p plan.Plan) error {
	if problems := p.Check(); len(problems) > 0 {
		return refusal(p, problems)
	}
	return nil
}

// Has reports whether an orchestration is known under exactly this id.
func (r *Registry) Has(id messages.OrchestrationID) bool {
	return r.entry(id) != nil
}

// refusal returns the error of a plan that cannot run: all problems in the details, the first in the text.
func refusal(p plan.Plan, problems []plan.Problem) *messages.Error {
	const op = "create orchestration"
	e := messages.Errorf(op, messages.Invalid, "%s", where(p, problems[0])).
		WithHint("Correct the plan; 'betcode orchestrate plan FILE' shows the line of each mistake.")
	if cycle := problems[0].Cycle; cycle != nil {
		e = e.WithCode(messages.DagCycle).With("cycle", strings.Join(cycle, ","))
	}
	for i, problem := range problems[1:] {
		e = e.With(fmt.Sprintf("problem_%d", i+2), where(p, problem))
	}
	return e
}

func where(p plan.Plan, problem plan.Problem) string {
	if problem.Step < 0 || problem.Cycle != nil {
		return problem.Text
	}
	if id := p.Steps[problem.Step].ID; id != "" && problem.Field != "id" {
		return fmt.Sprintf("step %s: %s", bounded(id, plan.MaxID), problem.Text)
	}
	return fmt.Sprintf("step %d: %s", problem.Step+1, problem.Text)
}
