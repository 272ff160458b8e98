package supervision

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// Messages that are sent to a name while its actor is being spawned arrive in order, after Started.
func TestMessagesDuringSpawn(t *testing.T) {
	bubble(t, func(w *world) {
		initialised := false
		props := w.tree.Props("test", steady, func() actor.Actor { return &player{world: w} })
		// OnInit runs when the name is registered and the mailbox is not usable yet.
		props = props.Configure(actor.WithOnInit(func(ctx actor.Context) {
			initialised = true
			early := actor.NewPID(ctx.Self().Address, ctx.Self().Id)
			for _, m := range []any{"one", "two", "three"} {
				w.system.Root.Send(early, m)
			}
		}))
		pid, err := w.system.Root.SpawnNamed(props, "early")
		if err != nil || !initialised {
			t.Fatal(err, initialised)
		}
		w.send(pid, "four")
		if got := w.reports("early"); !slices.Equal(got, []any{"started", "one", "two", "three", "four"}) {
			t.Errorf("it got %v", got)
		}
		w.stop(pid)
	})
}

func TestStopDuringSpawn(t *testing.T) {
	bubble(t, func(w *world) {
		props := w.tree.Props("test", steady, func() actor.Actor { return &player{world: w} })
		props = props.Configure(actor.WithOnInit(func(ctx actor.Context) {
			w.system.Root.Stop(actor.NewPID(ctx.Self().Address, ctx.Self().Id))
		}))
		if _, err := w.system.Root.SpawnNamed(props, "early"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(second)
		synctest.Wait()
		if got := w.reports("early"); !slices.Equal(got, []any{"started", "stopping", "stopped"}) {
			t.Errorf("it went through %v", got)
		}
	})
}

// Messages to a name that is registered and removed repeatedly never arrive before Started.
func TestSendDuringSpawnAndStop(t *testing.T) {
	system := quietSystem()
	executor := NewExecutor()
	defer executor.Close()
	tree := NewTree(executor, func(Failure) {})
	early := make(chan any, 1<<20)
	stop := make(chan struct{})
	var senders sync.WaitGroup
	for n := range 4 {
		senders.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					system.Root.Send(actor.NewPID(system.Address(), "name"), fmt.Sprint(n, i))
				}
			}
		})
	}
	for range 300 {
		pid, err := system.Root.SpawnNamed(tree.Props("test", steady, func() actor.Actor { return &listener{early: early} }), "name")
		if err != nil {
			t.Fatal(err)
		}
		if err := system.Root.StopFuture(pid).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	senders.Wait()
	close(early)
	for m := range early {
		if m == "before Started" {
			t.Fatal("a message came before Started")
		}
	}
	time.Sleep(1100 * time.Millisecond) // the library's dead-letter throttle has a goroutine that lives one second
}

// listener counts messages that it gets before Started.
type listener struct {
	early   chan any
	started bool
}

func (l *listener) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case *actor.Started:
		l.started = true
	default:
		if !l.started {
			l.early <- "before Started"
		}
	}
}

// A restart that follows a stop is dropped, although the actor waits for its children.
func TestRestartAfterStopIsDropped(t *testing.T) {
	bubble(t, func(w *world) {
		child := w.child(w.root, "child", func(p *player) {
			if p.message != "both" {
				return
			}
			self, _ := w.system.ProcessRegistry.Get(p.ctx.Self())
			self.SendSystemMessage(p.ctx.Self(), &actor.Stop{})
			self.SendSystemMessage(p.ctx.Self(), &actor.Restart{})
		})
		grandchild := w.child(child, "grandchild", nil)
		w.send(child, "both")
		if got := w.reports(child.Id); !slices.Equal(got[len(got)-2:], []any{"terminated", "stopped"}) {
			t.Errorf("it went through %v", got)
		}
		if got := w.reports(grandchild.Id); got[len(got)-1] != "stopped" {
			t.Errorf("its child went through %v", got)
		}
	})
}
