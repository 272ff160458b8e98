package orchestration

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/messages/plan"
	"betcode/persistence/planlog"
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
	crew := supervision.NewCrew()
	tree := supervision.NewTree(crew, func(failure supervision.Failure) { t.Errorf("crashed: %+v", failure) })
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
		crew.Close()
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

func TestPlayed(t *testing.T) {
	a := newAgents()
	a.instant = true
	d := startDaemon(t, t.TempDir(), a)
	d.create(steps(needs("c", "a", "b"), needs("a"), needs("b")))
	v := d.ends()
	if v.State != messages.OrchestrationCompleted || v.Completed != 3 || len(a.twice) > 0 {
		t.Errorf("%+v", v)
	}
	if got := a.prompts[subagentID(testID, "c", 1)]; got != "[Context from step a]: did a\n\n[Context from step b]: did b\n\ndo c" {
		t.Errorf("prompt %q", got)
	}
	// The same request again is no new orchestration, another one is refused.
	d.create(steps(needs("c", "a", "b"), needs("a"), needs("b")))
	err := d.registry.Create(messages.CreateOrchestration{ID: testID, Plan: steps(needs("x")), Digest: []byte("other")}, time.Now())
	if messages.KindOf(err) != messages.AlreadyExists || len(d.registry.List()) != 1 {
		t.Errorf("another plan: %v", err)
	}
	if _, err := d.registry.Read(testID, messages.OrchestrationCursor{Seq: 99}); messages.KindOf(err) != messages.OutOfRange {
		t.Errorf("beyond the head: %v", err)
	}
}

// An orchestration that has ended has no actor; a client that retries a step gets one.
// A watcher gets the end when the last event is durable, not when the actor has decided it.
func TestEndIsDurable(t *testing.T) {
	r, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := plan.Plan{Steps: []plan.Step{{ID: "a", Prompt: "x"}}}
	if err := r.Create(messages.CreateOrchestration{ID: testID, Parent: "parent", Plan: p}, time.Now()); err != nil {
		t.Fatal(err)
	}
	view, err := r.View("show", testID)
	if err != nil {
		t.Fatal(err)
	}
	durable, _, _ := r.durable(testID)
	view.State = messages.OrchestrationCompleted
	for _, ahead := range []bool{true, false} {
		r.wrote(view, durable, ahead)
		if page, err := r.Read(testID, messages.OrchestrationCursor{}); err != nil || page.Ended == ahead {
			t.Errorf("ahead of the file %t: ended %t, error %v", ahead, page.Ended, err)
		}
	}
}

func TestEndedAndRetried(t *testing.T) {
	a := newAgents()
	d := startDaemon(t, t.TempDir(), a)
	d.create(steps(needs("a"), needs("b", "a")))
	<-a.spawned
	a.end(testID, "a", Outcome{Status: messages.StepFailed, Error: "broke"})
	if v := d.ends(); v.Failed != 2 || v.Steps[1].Status != messages.StepBlocked {
		t.Errorf("%+v", v)
	}
	v, ok := d.ask(messages.RetryOrchestration{ID: testID}).(messages.OrchestrationView)
	if !ok || v.State != messages.OrchestrationRunning || v.Steps[0].Attempt != 2 {
		t.Fatalf("%+v", v)
	}
	<-a.spawned
	if v, ok := d.ask(messages.CancelOrchestration{ID: testID, Reason: "enough"}).(messages.OrchestrationView); !ok || v.State != messages.OrchestrationStopping {
		t.Errorf("%+v", v)
	}
	d.until("the stop", func(e messages.OrchestrationEvent) bool { return e.Kind == messages.EventFailed })
}

// A daemon that crashes does not begin an attempt again: the next one waits for the existing subagent.
func TestRestart(t *testing.T) {
	dir, a := t.TempDir(), newAgents()
	d := startDaemon(t, dir, a)
	d.create(steps(needs("a"), needs("b", "a"), needs("c")))
	<-a.spawned
	<-a.spawned
	d.stop()
	a.end(testID, "a", Outcome{Status: messages.StepCompleted, Summary: "A"}) // while no daemon runs
	d = startDaemon(t, dir, a)
	<-a.spawned
	a.end(testID, "b", Outcome{Status: messages.StepCompleted})
	a.end(testID, "c", Outcome{Status: messages.StepCompleted})
	if v := d.ends(); v.Completed != 3 {
		t.Errorf("%+v", v)
	}
	if fmt.Sprint(a.begun) != "map[a:1 b:1 c:1]" || len(a.twice) > 0 {
		t.Errorf("begun %v, twice %v", a.begun, a.twice)
	}
}

// A spawn that is refused temporarily is retried; one that is refused permanently fails the step.
func TestRefusedSpawns(t *testing.T) {
	a := newAgents()
	a.instant = true
	tries := 0
	a.refuse = func(step string) error {
		switch {
		case step == "full" && tries < 2:
			tries++
			return messages.Errorf("spawn", messages.Exhausted, "the pool is full")
		case step == "never":
			return messages.Errorf("spawn", messages.Invalid, "no such directory")
		case step == "dear":
			return messages.Errorf("spawn", messages.Exhausted, "the budget is used").WithCode(messages.BudgetSpent)
		}
		return nil
	}
	d := startDaemon(t, t.TempDir(), a)
	d.create(steps(needs("full"), needs("never"), needs("dear")))
	v := d.ends()
	if v.Steps[0].Status != messages.StepCompleted || v.Steps[1].Status != messages.StepFailed || !strings.Contains(v.Steps[1].Error, "no such directory") ||
		v.Steps[2].Status != messages.StepFailed || !strings.Contains(v.Steps[2].Error, "budget") {
		t.Errorf("%+v", v.Steps)
	}
}

// A journal that ends within a line is read up to there; one that is damaged before that is left alone and reported.
func TestTornAndDamagedJournals(t *testing.T) {
	dir, a := t.TempDir(), newAgents()
	d := startDaemon(t, dir, a)
	d.create(steps(needs("a"), needs("b", "a")))
	<-a.spawned
	d.stop()
	path := planlog.Path(dir, testID)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a.end(testID, "a", Outcome{Status: messages.StepCompleted})
	for _, torn := range []string{"", "0", "00000000 {}", "00000000 {}\n", string(make([]byte, 100))} {
		if err := os.WriteFile(path, append(whole[:len(whole):len(whole)], torn...), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, durable, err := load(path, 1<<40); err != nil || s.head != 1 || durable != int64(len(whole)) {
			t.Fatalf("%q: %v", torn, err)
		}
	}
	d = startDaemon(t, dir, a)
	<-a.spawned
	a.end(testID, "b", Outcome{Status: messages.StepCompleted})
	if v := d.ends(); v.Completed != 2 {
		t.Errorf("%+v", v)
	}
	d.stop()
	if whole, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	whole[len(whole)/2] ^= 1
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := Open(dir); err == nil || len(r.List()) != 0 {
		t.Errorf("a damaged journal: %v", err)
	}
	if again, err := os.ReadFile(path); err != nil || len(again) != len(whole) {
		t.Errorf("it was changed: %v", err)
	}
}

// A journal that cannot be written delays steps until it can be written again.
func TestJournalNotWritable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("root writes everywhere: the file is replaced by a directory")
	}
	dir, a := t.TempDir(), newAgents()
	d := startDaemon(t, dir, a)
	d.create(steps(needs("a"), needs("b", "a")))
	<-a.spawned
	path := planlog.Path(dir, testID)
	d.until("the start", func(e messages.OrchestrationEvent) bool { return e.Kind == messages.EventStepStarted })
	if err := errors.Join(os.Rename(path, path+".kept"), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	a.end(testID, "a", Outcome{Status: messages.StepCompleted})
	if err := errors.Join(os.Remove(path), os.Rename(path+".kept", path)); err != nil {
		t.Fatal(err)
	}
	<-a.spawned
	a.end(testID, "b", Outcome{Status: messages.StepCompleted})
	if v := d.ends(); v.Completed != 2 || fmt.Sprint(a.begun) != "map[a:1 b:1]" {
		t.Errorf("%+v, %v", v, a.begun)
	}
}

func TestCreateRefuses(t *testing.T) {
	r, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	err = r.Create(messages.CreateOrchestration{ID: testID, Plan: steps(needs("a", "b"), needs("b", "a"))}, time.Now())
	var e *messages.Error
	if !errors.As(err, &e) || e.Code != messages.DagCycle || e.Kind != messages.Invalid || e.Details["cycle"] != "a,b,a" || e.Hint == "" {
		t.Errorf("%+v", e)
	}
	err = r.Create(messages.CreateOrchestration{ID: testID, Plan: steps(needs("a", "z"), needs("a"))}, time.Now())
	if !errors.As(err, &e) || e.Code == messages.DagCycle || e.Details["problem_2"] == "" || !strings.Contains(e.Error(), "step 2") {
		t.Errorf("%+v", e)
	}
	if len(r.List()) != 0 {
		t.Error("something was made")
	}
}
