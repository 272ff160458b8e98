package orchestration

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/messages/plan"
	"betcode/supervision"
)

// agents are the subagents of a daemon; they survive the actors.
type agents struct {
	mu       sync.Mutex
	prompts  map[messages.SessionID]string
	steps    map[messages.SessionID]string
	begun    map[string]int // by step
	twice    []string       // spawned again with another request
	outcomes map[messages.SessionID]chan Outcome
	spawned  chan string        // steps, as their subagents begin; nil = nobody listens
	instant  bool               // subagents end at once
	refuse   func(string) error // by step, before anything is spawned
}

func newAgents() *agents {
	return &agents{
		prompts: map[messages.SessionID]string{}, steps: map[messages.SessionID]string{}, begun: map[string]int{},
		outcomes: map[messages.SessionID]chan Outcome{}, spawned: make(chan string, 1000),
	}
}

func (a *agents) deps() Subagents {
	return Subagents{
		Spawn: func(_ context.Context, m messages.SpawnSubagent, _ Place) error {
			a.mu.Lock()
			defer a.mu.Unlock()
			if a.refuse != nil {
				if err := a.refuse(m.Step.Step); err != nil {
					return err
				}
			}
			if prompt, there := a.prompts[m.Subagent]; there {
				if prompt != m.Prompt {
					a.twice = append(a.twice, m.Step.Step)
				}
				return nil
			}
			a.prompts[m.Subagent], a.steps[m.Subagent] = m.Prompt, m.Step.Step
			a.begun[m.Step.Step]++
			a.outcomes[m.Subagent] = make(chan Outcome, 1)
			if a.instant {
				a.outcomes[m.Subagent] <- Outcome{Status: messages.StepCompleted, Summary: "did " + m.Step.Step}
			}
			a.spawned <- m.Step.Step
			return nil
		},
		Wait: func(ctx context.Context, id messages.SessionID) (Outcome, error) {
			a.mu.Lock()
			outcomes := a.outcomes[id]
			a.mu.Unlock()
			if outcomes == nil {
				return Outcome{}, messages.Errorf("wait", messages.NotFound, "no subagent %s", id)
			}
			select {
			case o := <-outcomes:
				outcomes <- o // every waiter gets the end
				return o, nil
			case <-ctx.Done():
				return Outcome{}, ctx.Err()
			}
		},
		Cancel: func(_ context.Context, id messages.SessionID, reason string) error {
			a.mu.Lock()
			defer a.mu.Unlock()
			if a.outcomes[id] == nil {
				return messages.Errorf("cancel", messages.NotFound, "no subagent %s", id)
			}
			select {
			case a.outcomes[id] <- Outcome{Status: messages.StepCancelled, Error: reason}:
			default:
			}
			return nil
		},
	}
}

// end ends the subagent of the first attempt of a step.
func (a *agents) end(id messages.OrchestrationID, step string, o Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcomes[subagentID(id, step, 1)] <- o
}

// daemon is the orchestrations actor of one life of a daemon.
type daemon struct {
	*testing.T
	registry *Registry
	system   *actor.ActorSystem
	pid      *actor.PID
	stop     func()
}

func startDaemon(t *testing.T, dir string, a *agents) *daemon {
	t.Helper()
	registry, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var workers act.Workers
	log := zerolog.Nop()
	executor := supervision.NewExecutor()
	tree := supervision.NewTree(executor, func(failure supervision.Failure) { t.Errorf("crashed: %+v", failure) })
	deps := Deps{Registry: registry, Subagents: a.deps(), Places: func() int { return 4 }, Spent: func(messages.SessionID) (messages.Spent, bool) { return messages.Spent{}, true }}
	deps.Common = act.Common{
		Tree: tree, Policy: supervision.Default(), Workers: &workers, Now: time.Now, Log: func(string) *zerolog.Logger { return &log },
	}
	d := &daemon{T: t, registry: registry, system: actor.NewActorSystem()}
	d.pid = d.system.Root.Spawn(Props(deps))
	d.stop = sync.OnceFunc(func() {
		if err := d.system.Root.PoisonFuture(d.pid).Wait(); err != nil {
			t.Error(err)
		}
		workers.Wait()
		executor.Close()
		d.system.Shutdown()
	})
	t.Cleanup(d.stop)
	return d
}

const testID = messages.OrchestrationID("5e0a1f7c-31c4-4e5e-8c07-2f6a2f0f0001")

func (d *daemon) create(p plan.Plan) {
	d.Helper()
	if err := d.registry.Create(messages.CreateOrchestration{ID: testID, Parent: "parent", Plan: p, Digest: []byte("d")}, time.Now()); err != nil {
		d.Fatal(err)
	}
	d.system.Root.Send(d.pid, Begin{testID})
}

// until waits for an event that is durable.
func (d *daemon) until(what string, found func(messages.OrchestrationEvent) bool) {
	d.Helper()
	deadline := time.After(2 * time.Minute)
	var from messages.OrchestrationCursor
	for {
		page, err := d.registry.Read(testID, from)
		if err != nil {
			d.Fatal(err)
		}
		for _, e := range page.Events {
			if found(e) {
				return
			}
		}
		if from = page.Next; len(page.Events) > 0 {
			continue
		}
		select {
		case <-page.Changed:
		case <-deadline:
			d.Fatalf("%s does not happen", what)
		}
	}
}

func (d *daemon) ends() messages.OrchestrationView {
	d.Helper()
	d.until("the end", func(e messages.OrchestrationEvent) bool {
		return e.Kind == messages.EventCompleted || e.Kind == messages.EventFailed
	})
	v, err := d.registry.View("show", testID[:8])
	if err != nil {
		d.Fatal(err)
	}
	return v
}

func (d *daemon) ask(m messages.OrchestrationRequest) any {
	d.Helper()
	answer, err := d.system.Root.RequestFuture(d.pid, m, time.Minute).Result()
	if err != nil {
		d.Fatal(err)
	}
	return answer
}

// TestResolve: a reference is an id, its beginning, a name that no other orchestration has, or @last.
func TestResolve(t *testing.T) {
	r, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Resolve("show", lastReference); messages.KindOf(err) != messages.NotFound {
		t.Errorf("@last of none: %v", err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, o := range []struct {
		id   messages.OrchestrationID
		name string
	}{{"aaaa1111-x", "nightly"}, {"aaaa2222-x", "nightly"}, {"bbbb1111-x", "weekly"}, {"cccc1111-x", "aaaa1111-x"}, {"dddd1111-x", ""}} {
		r.known[o.id] = &entry{view: messages.OrchestrationView{ID: o.id, Name: o.name, CreatedAt: at.Add(time.Duration(i) * time.Hour)}}
	}
	for reference, want := range map[messages.OrchestrationID]struct {
		id   messages.OrchestrationID
		kind messages.Kind
	}{
		"aaaa1111-x": {id: "aaaa1111-x"}, // its id comes before the name of another one
		"aaaa2":      {id: "aaaa2222-x"},
		"weekly":     {id: "bbbb1111-x"},
		"@last":      {id: "dddd1111-x"},
		"nightly":    {kind: messages.Invalid},
		"aaaa":       {kind: messages.Invalid},
		"bbb":        {kind: messages.NotFound}, // too short
		"":           {kind: messages.NotFound},
		"@first":     {kind: messages.NotFound},
	} {
		got, err := r.Resolve("show", reference)
		if got != want.id || messages.KindOf(err) != want.kind {
			t.Errorf("%q: %q, %v", reference, got, err)
		}
	}
}
