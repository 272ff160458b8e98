package supervision

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

const (
	second = time.Second
	half   = 500 * time.Millisecond
)

func TestCrashedChildIsRestartedAfterTheBackoff(t *testing.T) {
	bubble(t, func(w *world) {
		child := w.child(w.root, "child", nil)
		for range 4 {
			w.send(child, crashNow)
			time.Sleep(10 * second)
		}
		synctest.Wait()
		want := []time.Duration{0, half, 10*second + second, 20*second + 2*second, 30*second + 4*second}
		if got := w.times(child.Id, "started"); !slices.Equal(got, want) {
			t.Errorf("started at %v, want %v", got, want)
		}
		for i, f := range w.reported() {
			if f.Actor != child.Id || f.Kind != "test" || f.Decision.Verdict != Restart || f.Restarts != i+1 || f.Reason != "told to crash" {
				t.Errorf("failure %d: %+v", i+1, f)
			}
		}
		if n := len(w.times(w.root.Id, "terminated")); n != 0 {
			t.Errorf("the parent got %d Terminated messages for a restarted child", n)
		}
	})
}

// The mailbox survives, the failing message does not, and neither does the struct.
func TestRestartKeepsTheMailboxAndNothingElse(t *testing.T) {
	bubble(t, func(w *world) {
		child := w.child(w.root, "child", func(p *player) { p.report(p.count) })
		w.send(child, "one")
		w.send(child, crashNow)
		w.send(child, "two")
		w.send(child, "three")
		if got := len(w.times(child.Id, "two")); got != 0 {
			t.Fatal("a message was handled during the backoff")
		}
		if n := w.tree.Snapshot(child.Id, time.Now()).Mailbox; n != 2 {
			t.Errorf("%d messages are shown as waiting, want 2", n)
		}
		time.Sleep(second)
		synctest.Wait()
		want := []any{"started", 1, "one", 2, crashNow, "restarting", 4, "started", 1, "two", 2, "three", 3}
		if got := w.reports(child.Id); !slices.Equal(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	})
}

func TestGiveUpAfterFiveFailuresInAMinute(t *testing.T) {
	bubble(t, func(w *world) {
		sibling := w.child(w.root, "sibling", nil)
		child := w.child(w.root, "child", func(p *player) {
			if p.message == "started" {
				panic("broken from the start")
			}
		})
		time.Sleep(time.Minute)
		synctest.Wait()

		want := []time.Duration{0, half, 1500 * time.Millisecond, 3500 * time.Millisecond, 7500 * time.Millisecond}
		if got := w.times(child.Id, "started"); !slices.Equal(got, want) {
			t.Errorf("started at %v, want %v", got, want)
		}
		failures := w.reported()
		if len(failures) != 5 {
			t.Fatalf("%d failures were reported, want 5", len(failures))
		}
		last := failures[4]
		if last.Decision.Verdict != GiveUp || last.Restarts != 5 || !strings.Contains(last.Decision.Reason, "5 failures in 1m0s") {
			t.Errorf("the last failure: %+v", last.Decision)
		}
		if w.alive(child) || !w.alive(sibling) || !w.alive(w.root) {
			t.Error("only the child should have stopped")
		}
		if got := w.reports(sibling.Id); !slices.Equal(got, []any{"started"}) {
			t.Errorf("the sibling was affected: %v", got)
		}
	})
}

// Each child has a history of its own: the failures of one do not count for its siblings.
func TestHistoriesArePerChild(t *testing.T) {
	bubble(t, func(w *world) {
		a, b := w.child(w.root, "a", nil), w.child(w.root, "b", nil)
		for range 4 {
			w.send(a, crashNow)
			time.Sleep(5 * second)
		}
		w.send(b, crashNow)
		at := time.Since(w.begin)
		time.Sleep(second)
		synctest.Wait()
		if got := w.times(b.Id, "started"); len(got) != 2 || got[1] != at+half {
			t.Errorf("b was started at %v, want the first backoff after %v", got, at)
		}
		if !w.alive(a) {
			t.Error("it gave up after four failures")
		}
	})
}

func TestSlowFailuresNeverGiveUp(t *testing.T) {
	bubble(t, func(w *world) {
		child := w.child(w.root, "child", nil)
		for range 30 {
			w.send(child, crashNow)
			time.Sleep(61 * second)
		}
		synctest.Wait()
		if !w.alive(child) || len(w.times(child.Id, "started")) != 31 {
			t.Errorf("started %d times, alive: %v", len(w.times(child.Id, "started")), w.alive(child))
		}
		if f := w.reported(); len(f) != 30 || f[29].Restarts != 30 || f[29].Decision.After != half {
			t.Errorf("the last of %d failures: %+v", len(f), f[len(f)-1].Decision)
		}
	})
}

// A child that is spawned again after giving up starts with an empty history.
func TestSpawnAfterGiveUpResetsHistory(t *testing.T) {
	bubble(t, func(w *world) {
		script := func(p *player) {
			if p.message == "started" {
				panic("broken")
			}
		}
		child := w.child(w.root, "child", script)
		time.Sleep(20 * second)
		w.child(w.root, "child", script)
		time.Sleep(half)
		synctest.Wait()
		if got := w.times(child.Id, "started"); len(got) != 7 || got[5] != 20*second || got[6] != 20*second+half {
			t.Errorf("started at %v", got)
		}
		time.Sleep(time.Minute)
	})
}

// An actor that is stopped during its backoff is not started again.
func TestStopWinsOverTheBackoff(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(w *world, parent, child *actor.PID)
	}{
		{"the child is stopped", func(w *world, _, child *actor.PID) { w.system.Root.Stop(child) }},
		{"its parent is stopped", func(w *world, parent, _ *actor.PID) { w.system.Root.Stop(parent) }},
		{"its parent crashes", func(w *world, parent, _ *actor.PID) { w.system.Root.Send(parent, crashNow) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				parent := w.child(w.root, "parent", nil)
				child := w.child(parent, "child", nil)
				// A slow grandchild keeps its parent stopping until after the end of the backoff.
				w.child(child, "grandchild", func(p *player) {
					if p.message == "stopping" {
						time.Sleep(3 * second)
					}
				})
				w.send(child, crashNow)
				time.Sleep(100 * time.Millisecond)
				c.end(w, parent, child)
				time.Sleep(time.Minute)
				synctest.Wait()
				if got := w.times(child.Id, "started"); len(got) != 1 {
					t.Errorf("the child was started at %v", got)
				}
				if w.alive(child) {
					t.Error("the child is alive")
				}
			})
		})
	}
}

// A restart stops all children first; the new incarnation starts with none.
func TestRestartStopsTheChildren(t *testing.T) {
	bubble(t, func(w *world) {
		parent := w.child(w.root, "parent", nil)
		child := w.child(parent, "child", nil)
		w.send(parent, crashNow)
		if !w.alive(child) {
			t.Error("the child was stopped before the backoff was over")
		}
		time.Sleep(second)
		synctest.Wait()
		if w.alive(child) || !w.alive(parent) {
			t.Errorf("alive: parent %v, child %v", w.alive(parent), w.alive(child))
		}
		if again := w.child(parent, "child", nil); !w.alive(again) {
			t.Error("the name is still taken")
		}
	})
}
