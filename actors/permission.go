package actors

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/messages"
)

// permissionState is one undecided request: the first answer decides it.
type permissionState struct {
	record    messages.PermissionRecord
	decided   bool
	by        string
	outcome   messages.Decision
	questions int                  // how many the request has, 0 if it is no question
	answers   map[string]string    // collected so far: several questions are answered together
	given     []messages.RequestID // the questions they are for; two may have the same text
}

// deadlineReached is the permission's own word for the end of its patience.
type deadlineReached struct{}

// tellSession hands a message to the session that owns the permission.
type tellSession struct{ message any }

func (tellSession) effect() {}

// step takes one message at its time and returns the next state and what to do.
// The winner's answer goes on to the session, which replies when the decision
// is durable; everybody else is told at once who was first.
func (s permissionState) step(at time.Time, from *actor.PID, m any) (permissionState, []effect) {
	switch m := m.(type) {
	case messages.AnswerPermission:
		if s.decided {
			return s, []effect{reply{from, messages.PermissionAnswered{Applied: false, By: s.by, Decision: s.outcome}}}
		}
		if m.Decision == messages.DecisionAnswered {
			s.answers = merged(s.answers, m.Answers)
			m.Answers = s.answers
			if !slices.Contains(s.given, m.Request) {
				s.given = append(slices.Clip(s.given), m.Request)
			}
			if strings.Contains(string(m.Request), "/") && max(len(s.answers), len(s.given)) < s.questions {
				return s, []effect{reply{from, messages.PermissionAnswered{Applied: true, By: string(m.Client), Decision: m.Decision}}}
			}
		}
		s.decided, s.by, s.outcome = true, string(m.Client), m.Decision
		return s, []effect{tellSession{decided{from: from, PermissionDecided: messages.PermissionDecided{Answer: m, By: s.by, At: at}}}}
	case deadlineReached:
		if s.decided {
			return s, nil
		}
		s.decided, s.by, s.outcome = true, "deadline", messages.DecisionExpired
		answer := messages.AnswerPermission{Session: s.record.Session, Request: s.record.Request, Decision: messages.DecisionExpired}
		return s, []effect{tellSession{decided{PermissionDecided: messages.PermissionDecided{Answer: answer, By: s.by, At: at}}}}
	}
	return s, nil
}

func merged(a, b map[string]string) map[string]string {
	all := make(map[string]string, len(a)+len(b))
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// decided is a [messages.PermissionDecided] with the address that waits for the
// outcome.
type decided struct {
	messages.PermissionDecided
	from *actor.PID
}

// permission is one undecided request of an agent, as an actor: it keeps the
// deadline and lets the first answer win. It is a child of its session, named
// permission/<request>.
//
// What survives a restart: the request itself, with its wall-clock deadline; it
// is a record in the journal and the session spawns this actor from it.
type permission struct {
	deps     *System
	state    permissionState
	deadline *time.Timer
}

func permissionProps(s *System, record messages.PermissionRecord) *actor.Props {
	return s.tree.Props("permission", s.policy, func() actor.Actor {
		state := permissionState{record: record}
		if record.Question {
			state.questions = len(promptEvents(record))
		}
		return &permission{deps: s, state: state}
	})
}

// Receive implements actor.Actor.
func (p *permission) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		p.deps.tree.Detail(ctx.Self(), "tool", p.state.record.Tool)
		p.deadline = timer(ctx, p.state.record.ExpiresAt.Sub(p.deps.now()), deadlineReached{})
	case *actor.Stopping, *actor.Restarting:
		p.deadline.Stop()
	default:
		next, effects := p.state.step(p.deps.now(), ctx.Sender(), m)
		p.state = next
		for _, e := range effects {
			switch e := e.(type) {
			case reply:
				send(ctx, e.to, e.with)
			case tellSession:
				ctx.Send(ctx.Parent(), e.message)
			}
		}
	}
}
