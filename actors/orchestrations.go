package actors

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"betcode/actors/orchestration"
	"betcode/messages"
)

// orchestrationDeps returns what orchestrations need.
func (s *System) orchestrationDeps() orchestration.Deps {
	return orchestration.Deps{
		Common: s.common(), Registry: s.plans,
		Subagents: orchestration.Subagents{Spawn: s.spawnStep, Wait: s.awaitSubagent, Cancel: s.cancelStep, Merge: s.mergeStep, Budget: s.planBudget},
		Places:    func() int { return s.settings.Load().MaxAgents },
		Spent:     func(id messages.SessionID) (messages.Spent, bool) { return s.day.Total(id, s.now()) },
	}
}

// live adds to an orchestration the consumption so far of the subagents of its running steps.
func (s *System) live(v messages.OrchestrationView, err error) (messages.OrchestrationView, error) {
	now := s.now()
	for i := range v.Steps {
		step := &v.Steps[i]
		if step.Subagent == "" || step.Status != messages.StepRunning && step.Status != messages.StepCancelling {
			continue
		}
		spent, _ := s.day.Total(step.Subagent, now)
		usage := messages.OrchestrationUsage{CostUSD: spent.USD(), Spent: spent}
		step.Usage, v.Usage = step.Usage.Plus(usage), v.Usage.Plus(usage)
	}
	return v, err
}

// orchestrate answers a request about orchestrations. Questions are answered from their journals, on the caller's goroutine;
// changes by the actor of the orchestration.
func (s *System) orchestrate(ctx context.Context, r messages.Request) (messages.Reply, error) {
	if s.plans == nil {
		return nil, messages.Errorf("orchestrate", messages.Unimplemented, "this daemon keeps no orchestrations").WithHint("Start it with a state directory.")
	}
	var change messages.OrchestrationRequest
	var err error
	switch m := r.(type) {
	case messages.CreateOrchestration:
		return s.createOrchestration(ctx, m)
	case messages.GetOrchestration:
		return result(s.live(s.plans.View("show orchestration", m.ID)))
	case messages.ListOrchestrations:
		return messages.OrchestrationList{Orchestrations: s.plans.List()}, nil
	case messages.ReadOrchestration:
		return result(s.plans.Read(m.ID, m.From))
	case messages.CancelOrchestration:
		m.ID, err = s.plans.Resolve("cancel orchestration", m.ID)
		change = m
	case messages.RetryOrchestration:
		m.ID, err = s.plans.Resolve("retry orchestration", m.ID)
		change = m
	case messages.PauseOrchestration:
		m.ID, err = s.plans.Resolve(m.Op(), m.ID)
		change = m
	}
	if err != nil {
		return nil, err
	}
	answer, err := s.ask(ctx, s.orchestrations, change)
	if err == nil {
		s.auditOrchestration(change)
	}
	return answer, err
}

// result returns a reply, or the error in its place.
func result[R messages.Reply](reply R, err error) (messages.Reply, error) {
	if err != nil {
		return nil, err
	}
	return reply, nil
}

// parents is the namespace of ids of sessions that are made for orchestrations.
var parents = uuid.MustParse("c9a3bb1c-3c5a-49e5-8d4d-0b7f9f1e7a52")

// startParent starts the session of a plan. A plan that runs again has the same name; its session gets the name with its id.
func (s *System) startParent(ctx context.Context, m messages.StartSession) error {
	_, err := s.Ask(ctx, m)
	var refused *messages.Error
	if errors.As(err, &refused) && refused.Code == messages.NameTaken {
		m.Name += " " + messages.ShortID(m.Session)
		_, err = s.Ask(ctx, m)
	}
	return err
}

// createOrchestration starts a plan. It makes all checks before it makes anything.
func (s *System) createOrchestration(ctx context.Context, m messages.CreateOrchestration) (messages.Reply, error) {
	if err := orchestration.Check(m.Plan); err != nil {
		return nil, err
	}
	known := s.plans.Has(m.ID)
	if m.Parent == "" {
		m.Parent = messages.SessionID(uuid.NewSHA1(parents, []byte(m.ID)).String())
		if !known {
			name := m.Plan.Name
			if name == "" {
				name = "orchestration " + messages.ShortID(m.ID)
			}
			start := messages.StartSession{Session: m.Parent, Client: m.Client, Name: name, WorkingDirectory: m.Directory}
			if err := s.startParent(ctx, start); err != nil {
				return nil, err
			}
		}
	} else if !known {
		view, err := s.sessionView(ctx, messages.GetSession{Session: m.Parent})
		if err != nil {
			return nil, err
		}
		if agent, most := view.Record.Subagent, s.settings.Load().SubagentDepth; agent != nil && int(agent.Depth) >= most {
			return nil, subagentLimit("create orchestration", m.Parent, "subagents may be %d deep, and %s is that deep", most, m.Parent)
		}
		if m.Agent {
			if err := s.confine(ctx, m, view.Record); err != nil {
				return nil, err
			}
		}
	}
	if err := s.plans.Create(m, s.now()); err != nil {
		return nil, err
	}
	if !known {
		s.audit(messages.AuditEntry{
			Type: messages.AuditOrchestrationCreated, ActorType: messages.ActorUser, ActorID: string(m.Client), Outcome: messages.OutcomeSuccess, Parent: m.Parent,
			Context: map[string]string{"orchestration_id": string(m.ID)},
		})
	}
	s.actors.Root.Send(s.orchestrations, orchestration.Begin{ID: m.ID})
	return messages.OrchestrationCreated{ID: m.ID, Steps: len(m.Plan.Steps)}, nil
}

// auditOrchestration writes the change of a client to the audit log.
func (s *System) auditOrchestration(r messages.OrchestrationRequest) {
	e := messages.AuditEntry{ActorType: messages.ActorUser, Outcome: messages.OutcomeSuccess, Context: map[string]string{"orchestration_id": string(r.Orchestration())}}
	step := ""
	switch m := r.(type) {
	case messages.CancelOrchestration:
		e.Type, e.ActorID, step = messages.AuditOrchestrationCanceled, string(m.Client), m.Step
		if m.Reason != "" {
			e.Context["reason"] = m.Reason
		}
	case messages.RetryOrchestration:
		e.Type, e.ActorID, step = messages.AuditOrchestrationRetried, string(m.Client), m.Step
	case messages.PauseOrchestration:
		e.Type, e.ActorID = messages.AuditOrchestrationResumed, string(m.Client)
		if m.Paused {
			e.Type = messages.AuditOrchestrationPaused
		}
	}
	if step != "" {
		e.Context["step"] = step
	}
	s.audit(e)
}
