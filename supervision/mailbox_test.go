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

// Messages that are sent to a name while its actor is being spawned arrive in order, after
// Started.
func TestMessagesForAnActorThatIsBeingMade(t *testing.T) {
	bubble(t, func(w *world) {
		made := false
		props := w.tree.Props("test", steady, func() actor.Actor { return &player{world: w} })
		// OnInit runs when the name is registered and the mailbox is not usable yet.
		props = props.Configure(actor.WithOnInit(func(ctx actor.Context) {
			made = true
			early := actor.NewPID(ctx.Self().Address, ctx.Self().Id)
			for _, m := range []any{"one", "two", "three"} {
				w.system.Root.Send(early, m)
			}
		}))
		pid, err := w.system.Root.SpawnNamed(props, "early")
		if err != nil || !made {
			t.Fatal(err, made)
		}
		w.tell(pid, "four")
		if got := w.said("early"); !slices.Equal(got, []any{"started", "one", "two", "three", "four"}) {
			t.Errorf("it got %v", got)
		}
		w.stop(pid)
	})
}

func TestStopForAnActorThatIsBeingMade(t *testing.T) {
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
		if got := w.said("early"); !slices.Equal(got, []any{"started", "stopping", "stopped"}) {
			t.Errorf("it went through %v", got)
		}
	})
}

// Senders that never stop, to a name that is registered and removed all the time.
func TestSendingToANameThatComesAndGoes(t *testing.T) {
	system := quietSystem()
	crew := NewCrew()
	defer crew.Close()
	tree := NewTree(crew, func(Failure) {})
	heard := make(chan any, 1<<20)
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
		pid, err := system.Root.SpawnNamed(tree.Props("test", steady, func() actor.Actor { return &listener{heard: heard} }), "name")
		if err != nil {
			t.Fatal(err)
		}
		if err := system.Root.StopFuture(pid).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	senders.Wait()
	close(heard)
	for m := range heard {
		if m == "too early" {
			t.Fatal("a message came before Started")
		}
	}
	time.Sleep(1100 * time.Millisecond) // dead letters
}

// listener counts messages that it gets before Started.
type listener struct {
	heard   chan any
	started bool
}

func (l *listener) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case *actor.Started:
		l.started = true
	default:
		if !l.started {
			l.heard <- "too early"
		}
	}
}

// An actor that was stopped ends, although it waits for its children and its restart was
// decided before the stop.
func TestStopBeatsARestartBehindIt(t *testing.T) {
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
		w.tell(child, "both")
		if got := w.said(child.Id); !slices.Equal(got[len(got)-2:], []any{"terminated", "stopped"}) {
			t.Errorf("it went through %v", got)
		}
		if got := w.said(grandchild.Id); got[len(got)-1] != "stopped" {
			t.Errorf("its child went through %v", got)
		}
	})
}
