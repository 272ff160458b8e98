package supervision

import (
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// steady is [Default] without jitter, so that tests know each backoff exactly.
var steady = Policy{Initial: 500 * time.Millisecond, Max: 30 * time.Second, Limit: 5, Window: time.Minute}

// world is an actor system in virtual time. Tests spawn actors under its root.
type world struct {
	t      *testing.T
	system *actor.ActorSystem
	tree   *Tree
	root   *actor.PID
	begin  time.Time

	mu       sync.Mutex
	failures []Failure
	log      []happening
}

// happening is a report of an actor in a test, with its time.
type happening struct {
	after time.Duration // since the world began
	who   string
	what  any
}

// bubble runs a test in a world of its own and ends the world after it. A goroutine that
// still runs then fails the test: the bubble waits for every goroutine.
func bubble(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, begin: time.Now()}
		w.system = quietSystem()
		executor := NewExecutor()
		defer executor.Close()
		w.tree = NewTree(executor, func(f Failure) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.failures = append(w.failures, f)
		})
		w.root = w.spawn("root", steady, nil)
		test(w)
		w.stop(w.root)
		if left := w.tree.Count("test"); left != 0 {
			t.Errorf("%d actors are still in the tree", left)
		}
		time.Sleep(2 * time.Second) // the library throttles dead letters with a goroutine that lives one second
	})
}

func quietSystem() *actor.ActorSystem {
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.DiscardHandler)
	}))
}

// spawn starts a scripted actor at the top of the tree.
func (w *world) spawn(name string, policy Policy, script func(*player)) *actor.PID {
	w.t.Helper()
	pid, err := w.system.Root.SpawnNamed(w.props(policy, script), name)
	if err != nil {
		w.t.Fatal(err)
	}
	return pid
}

// child starts a scripted actor below another one.
func (w *world) child(parent *actor.PID, name string, script func(*player)) *actor.PID {
	w.t.Helper()
	w.send(parent, spawnChild{name, w.props(steady, script)})
	return actor.NewPID(parent.Address, parent.Id+"/"+name)
}

func (w *world) props(policy Policy, script func(*player)) *actor.Props {
	return w.tree.Props("test", policy, func() actor.Actor { return &player{world: w, script: script} })
}

// send sends a message and waits until the system is idle.
func (w *world) send(to *actor.PID, message any) {
	w.system.Root.Send(to, message)
	synctest.Wait()
}

// stop ends an actor gracefully and fails the test if that takes an hour.
func (w *world) stop(pid *actor.PID) {
	w.t.Helper()
	w.system.Root.Poison(pid)
	for range 3600 {
		synctest.Wait()
		if _, there := w.system.ProcessRegistry.Get(actor.NewPID(pid.Address, pid.Id)); !there {
			return
		}
		time.Sleep(time.Second)
	}
	w.t.Fatalf("%s did not stop", pid.Id)
}

func (w *world) alive(pid *actor.PID) bool {
	_, there := w.system.ProcessRegistry.Get(actor.NewPID(pid.Address, pid.Id))
	return there
}

func (w *world) reported() []Failure {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.failures)
}

// times returns when an actor reported something.
func (w *world) times(who string, what any) []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	var times []time.Duration
	for _, h := range w.log {
		if h.who == who && h.what == what {
			times = append(times, h.after)
		}
	}
	return times
}

// reports returns the reports of an actor, in order.
func (w *world) reports(who string) []any {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []any
	for _, h := range w.log {
		if h.who == who {
			all = append(all, h.what)
		}
	}
	return all
}

type spawnChild struct {
	name  string
	props *actor.Props
}

// crashNow makes a player panic.
const crashNow = "crash"

// player is an actor that follows a script. It reports each message before it handles it,
// lifecycle messages by name.
type player struct {
	world  *world
	script func(*player)

	ctx     actor.Context
	message any
	count   int // messages that this incarnation has received
}

func (p *player) Receive(ctx actor.Context) {
	p.ctx, p.message = ctx, ctx.Message()
	p.count++
	switch m := p.message.(type) {
	case *actor.Started:
		p.message = "started"
	case *actor.Restarting:
		p.message = "restarting"
	case *actor.Stopping:
		p.message = "stopping"
	case *actor.Stopped:
		p.message = "stopped"
	case *actor.Terminated:
		p.message = "terminated"
	case spawnChild:
		if _, err := ctx.SpawnNamed(m.props, m.name); err != nil {
			panic(err)
		}
		return
	}
	p.report(p.message)
	if p.message == crashNow {
		panic("told to crash")
	}
	if p.script != nil {
		p.script(p)
	}
}

func (p *player) report(what any) {
	w := p.world
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, happening{time.Since(w.begin), p.ctx.Self().Id, what})
}
