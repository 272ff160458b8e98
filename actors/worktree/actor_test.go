package worktree

import (
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/supervision"
)

// spawn starts an actor of the fixture's repository.
func (f *fixture) spawn(props func(Deps) *actor.Props) (system *actor.ActorSystem, pid *actor.PID) {
	f.Helper()
	var workers act.Workers
	log := zerolog.Nop()
	executor := supervision.NewExecutor()
	tree := supervision.NewTree(executor, func(failure supervision.Failure) { f.Errorf("crashed: %+v", failure) })
	deps := *f.deps
	deps.Common = act.Common{
		Tree: tree, Policy: supervision.Default(), Workers: &workers, Now: time.Now, Log: func(string) *zerolog.Logger { return &log },
	}
	deps.Registry, deps.Repos, deps.Git = f.registry, f.repositories, f.git
	system = actor.NewActorSystem()
	pid = system.Root.Spawn(props(deps))
	f.Cleanup(func() {
		if err := system.Root.PoisonFuture(pid).Wait(); err != nil {
			f.Error(err)
		}
		workers.Wait()
		executor.Close()
		system.Shutdown()
	})
	return system, pid
}

// Changes of a repository are made one after the other, and only so many wait. Queries do not wait for them.
func TestRepositoryQueue(t *testing.T) {
	f := newFixture(t)
	gate, reached := make(chan struct{}), make(chan struct{})
	f.reached = func(s step) error {
		if s == stepIntent {
			close(reached)
			<-gate
		}
		return nil
	}
	system, pid := f.spawn(func(d Deps) *actor.Props {
		return d.Props("repository", func() actor.Actor { return &repository{deps: d, changes: f.changes} })
	})
	first := system.Root.RequestFuture(pid, f.new("first"), time.Minute)
	<-reached
	var others []*actor.Future
	for range maxQueue + 3 {
		others = append(others, system.Root.RequestFuture(pid, messages.SwitchWorktree{Worktree: "first", Common: f.common}, time.Minute))
	}
	kind := func(future *actor.Future) messages.Kind {
		answer, err := future.Result()
		if err != nil {
			t.Fatal(err)
		}
		failed, _ := answer.(*messages.Error)
		if failed == nil {
			return messages.Canceled // the test takes it for success
		}
		return failed.Kind
	}
	for _, refused := range others[maxQueue-1:] {
		if got := kind(refused); got != messages.Exhausted {
			t.Errorf("beyond the queue: %v", got)
		}
	}
	if views := f.registry.Views(t.Context(), f.git, f.common, nil); len(views) != 1 || views[0].State != messages.WorktreeCreating {
		t.Errorf("a question behind a change: %+v", views)
	}
	close(gate)
	if got := kind(first); got != messages.Canceled {
		t.Errorf("the first: %v", got)
	}
	for n, queued := range others[:maxQueue-1] {
		if got := kind(queued); got != messages.Canceled {
			t.Errorf("queued %d: %v", n, got)
		}
	}
}

// The worktrees actor starts a child for a repository, which makes the change and runs the setup.
func TestWorktreesActor(t *testing.T) {
	f := newFixture(t)
	f.trusted = true
	f.setup.Commands = []string{"echo done"}
	system, pid := f.spawn(Props)
	answer, err := system.Root.RequestFuture(pid, f.new("fresh"), time.Minute).Result()
	view, ok := answer.(messages.WorktreeView)
	if err != nil || !ok || view.Setup.Status != messages.SetupRunning {
		t.Fatalf("%+v, %v", answer, err)
	}
	deadline := time.Now().Add(time.Minute)
	for {
		rec, err := f.registry.find("test", view.ID)
		if err != nil {
			t.Fatal(err)
		}
		if rec.Setup.Status == messages.SetupReady && rec.Setup.Output == "done\n" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%+v", rec.Setup)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
