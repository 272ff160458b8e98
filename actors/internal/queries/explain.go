package queries

import (
	"context"

	"betcode/actors/internal/rules"
	"betcode/messages"
)

// explain returns the decisions about a call: of the rules and, in a session, of its live agent before
// it asks.
func (q *Queries) explain(ctx context.Context, m messages.ExplainPermission) (messages.Reply, error) {
	const op = "explain permission"
	if m.Tool == "" {
		return nil, messages.Errorf(op, messages.Invalid, "no tool is named").WithHint("for example: Bash, Edit, WebFetch")
	}
	call := rules.Call{Tool: m.Tool, Input: m.Input, Place: rules.Place{Directory: m.WorkingDirectory, Home: q.deps.Home}}
	if len(call.Input) == 0 {
		call.Input = rules.InputOf(m.Tool, m.Argument)
	}
	call.Real = rules.Resolve(call)
	now, directory := q.deps.Rules(), q.deps.Directories.Rules(m.WorkingDirectory)
	set := now.Rules.With(directory)
	verdict := set.Decide(call)
	explained := messages.PermissionExplained{Effect: verdict.Effect.String(), Why: verdict.Why, Known: set.Len()}
	protected := q.deps.Protected.Check(call)
	if protected != "" && verdict.Effect != rules.Deny {
		explained.Effect, explained.Why = rules.Ask.String(), "a person is asked whatever rules and grants say: "+protected
	}
	for _, r := range verdict.Rules {
		explained.Rules = append(explained.Rules, r.String())
	}
	for _, p := range now.Problems {
		explained.Problems = append(explained.Problems, p.Error())
	}
	for _, p := range set.Narrow() {
		explained.Problems = append(explained.Problems, p.Error())
	}
	if m.Session == "" {
		return explained, nil
	}
	view, err := q.deps.View(ctx, messages.GetSession{Session: m.Session, AgentRules: true})
	if err != nil {
		return nil, err
	}
	granted(&explained, view.Record, verdict.Effect, m.Tool, protected == "")
	own := q.agentsOwnRules(view, directory)
	explained.Agent = explainAgent(view, call, own)
	if note := rulesLater(view); note != "" {
		explained.Problems = append(explained.Problems, note)
	}
	return explained, nil
}

// granted applies the session's grants to a call that no rule decides. A grant allows nothing
// that is protected.
func granted(e *messages.PermissionExplained, r messages.SessionRecord, ruled rules.Effect, tool string, may bool) {
	allowed, known := r.Grants[tool]
	switch {
	case !known || ruled == rules.Deny:
	case !allowed:
		e.Effect, e.Why = rules.Deny.String(), "the tool "+tool+" is forbidden for this session"
	case ruled == rules.None && may:
		e.Effect, e.Why = rules.Allow.String(), "the tool "+tool+" is allowed for this session"
	}
}
