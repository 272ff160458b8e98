package orchestration

import (
	"fmt"
	"slices"
	"time"

	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/messages/plan"
)

// world runs a state without actors: it writes events, performs effects when they are durable, and can crash in between.
type world struct {
	*state

	now     time.Time
	limit   int
	journal []messages.OrchestrationEvent // durable
	pending []batch
	answers []any

	spawned   map[messages.SessionID]string  // prompts: a subagent that is there is not begun again
	conflicts []string                       // a subagent was spawned with two prompts
	waits     []attempt                      // subagents that are waited for
	cancelled map[messages.SessionID]string  // reasons
	outcomes  map[messages.SessionID]Outcome // of subagents that have ended
	due       []retryDue
	questions []messages.AskPlanBudget
	live      map[messages.SessionID]messages.Spent // of subagents
	unknown   bool                                  // it is not known
	merged    []Merge                               // as they were asked for
	order     []string                              // ids of steps, as they were spawned first
}

func newWorld(p plan.Plan) *world {
	h := header{Format: formatVersion, ID: "0d8a2c5e-0000-4000-8000-000000000001", Parent: "p", Plan: p}
	return &world{
		state: newState(h), now: time.Unix(1000, 0).UTC(), limit: 1000, spawned: map[messages.SessionID]string{},
		cancelled: map[messages.SessionID]string{}, outcomes: map[messages.SessionID]Outcome{},
	}
}

func steps(all ...plan.Step) plan.Plan { return plan.Plan{Steps: all} }

func needs(id string, on ...string) plan.Step {
	return plan.Step{ID: id, Prompt: "do " + id, DependsOn: on}
}

// send has the state handle a message, and makes everything durable.
func (w *world) send(message any) {
	w.hand(message)
	w.sync()
}

// hand has the state handle a message; its events are not durable yet.
func (w *world) hand(message any) {
	events, effects := w.step(env{now: w.now, limit: w.limit, spending: func(id messages.SessionID) (messages.Spent, bool) { return w.live[id], !w.unknown }}, nil, message)
	w.pending = append(w.pending, batch{events, effects})
}

// sync makes the pending events durable and performs their effects.
func (w *world) sync() {
	for len(w.pending) > 0 {
		b := w.pending[0]
		w.pending = w.pending[1:]
		w.journal = append(w.journal, b.events...)
		for _, e := range b.effects {
			w.perform(e)
		}
	}
}

func (w *world) perform(effect act.Effect) {
	switch e := effect.(type) {
	case run:
		if w.Plan.Steps[e.step].Merge != nil {
			w.merged = append(w.merged, w.merge(e.attempt))
			return
		}
		m := w.spawn(e.attempt)
		if prompt, there := w.spawned[m.Subagent]; !there {
			w.spawned[m.Subagent] = m.Prompt
			w.order = append(w.order, w.Plan.Steps[e.step].ID)
		} else if prompt != m.Prompt {
			w.conflicts = append(w.conflicts, m.Step.Step)
		}
		if !slices.Contains(w.waits, e.attempt) {
			w.waits = append(w.waits, e.attempt)
		}
	case askBudget:
		w.questions = append(w.questions, e.AskPlanBudget)
	case cancelRun:
		id := w.spawn(e.attempt).Subagent
		w.cancelled[id] = e.reason
	case act.After:
		if due, ok := e.Message.(retryDue); ok {
			w.due = append(w.due, due)
		}
	case act.Reply:
		w.answers = append(w.answers, e.With)
	}
}

// end ends the subagent of the newest attempt of a step.
func (w *world) end(id string, outcome Outcome) {
	i := w.index[id]
	a := attempt{i, w.steps[i].attempt}
	w.waits = slices.DeleteFunc(w.waits, func(b attempt) bool { return a == b })
	w.outcomes[w.steps[i].subagent] = outcome
	w.send(ended{a, outcome})
}

func (w *world) complete(id, summary string) {
	w.end(id, Outcome{Status: messages.StepCompleted, Summary: summary, Usage: messages.OrchestrationUsage{CostUSD: 1, InputTokens: 2, OutputTokens: 3}})
}

func (w *world) fail(id string) { w.end(id, Outcome{Status: messages.StepFailed, Error: "broke"}) }

// fire has the delays before further attempts elapse.
func (w *world) fire() {
	due := w.due
	w.due = nil
	w.now = w.now.Add(time.Hour)
	for _, d := range due {
		w.send(d)
	}
}

// crash loses what is not durable and what is in memory.
func (w *world) crash() {
	fresh := newState(w.header)
	for _, e := range w.journal {
		fresh.apply(e)
	}
	w.state, w.pending, w.waits, w.due = fresh, nil, nil, nil
	w.hand(resumed{})
}

// statuses lists the statuses of all steps: "a=completed b=running".
func (w *world) statuses() string {
	text := ""
	for i, s := range w.steps {
		text += fmt.Sprintf(" %s=%s", w.Plan.Steps[i].ID, s.status)
	}
	return text[1:]
}
