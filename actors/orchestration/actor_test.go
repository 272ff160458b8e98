package orchestration

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"betcode/messages"
	"betcode/messages/plan"
	"betcode/persistence/planlog"
)

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
