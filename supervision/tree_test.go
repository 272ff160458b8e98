package supervision

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"betcode/messages"
)

func TestSnapshot(t *testing.T) {
	bubble(t, func(w *world) {
		b := w.child(w.root, "b/2", nil)
		a := w.child(w.root, "a/1", nil)
		w.child(a, "leaf", nil)
		time.Sleep(second)
		w.tree.Detail(b, "phase", "idle")
		w.tree.Detail(b, "gone", "soon")
		w.tree.Detail(b, "gone", "")

		root := w.tree.Snapshot(w.root.Id, time.Now())
		if root.Name != "root" || root.State != "running" || len(root.Children) != 2 {
			t.Fatalf("root: %+v", root)
		}
		first, next := root.Children[0], root.Children[1]
		if first.Name != "a/1" || len(first.Children) != 1 || first.Children[0].Name != "leaf" {
			t.Errorf("a: %+v", first)
		}
		if next.Name != "b/2" || next.Kind != "test" || len(next.Details) != 1 || next.Details["phase"] != "idle" {
			t.Errorf("b: %+v", next)
		}
		if !next.StartedAt.Equal(w.begin) || next.Restarts != 0 || next.LastError != "" || next.Backoff != 0 {
			t.Errorf("b: %+v", next)
		}
		if n := w.tree.Count("test"); n != 4 {
			t.Errorf("%d actors are counted, want 4", n)
		}
		if n := w.tree.Count("other"); n != 0 {
			t.Errorf("%d actors of no kind", n)
		}
	})
}

func TestSnapshotIsACopy(t *testing.T) {
	bubble(t, func(w *world) {
		w.tree.Detail(w.root, "key", "value")
		w.tree.Snapshot(w.root.Id, time.Now()).Details["key"] = "mine"
		if got := w.tree.Snapshot(w.root.Id, time.Now()).Details["key"]; got != "value" {
			t.Errorf("a change of a snapshot changed the tree: %q", got)
		}
	})
}

func TestSnapshotShowsTheBackoff(t *testing.T) {
	bubble(t, func(w *world) {
		child := w.child(w.root, "child", nil)
		show := func() messages.TreeNode { return w.tree.Snapshot(child.Id, time.Now()) }
		w.send(child, crashNow)
		time.Sleep(200 * time.Millisecond)
		if v := show(); v.State != "backing off" || v.Backoff != 300*time.Millisecond || v.Restarts != 1 || v.LastError != "told to crash" {
			t.Errorf("during the backoff: %+v", v)
		}
		time.Sleep(second)
		synctest.Wait()
		if v := show(); v.State != "running" || v.Backoff != 0 || v.Restarts != 1 || v.LastError != "told to crash" {
			t.Errorf("after it: %+v", v)
		}
	})
}

func TestUnknownActorIsShownAsStopped(t *testing.T) {
	executor := NewExecutor()
	defer executor.Close()
	tree := NewTree(executor, func(Failure) {})
	if v := tree.Snapshot("nobody", time.Now()); v.State != "stopped" || v.Name != "nobody" {
		t.Errorf("%+v", v)
	}
}

func TestStoppedActorLeavesTheTree(t *testing.T) {
	bubble(t, func(w *world) {
		child := w.child(w.root, "child", nil)
		w.system.Root.Stop(child)
		synctest.Wait()
		if v := w.tree.Snapshot(w.root.Id, time.Now()); len(v.Children) != 0 {
			t.Errorf("%+v", v)
		}
	})
}

// Failure.Stack is the stack of the panic, not of the library's recovery.
func TestFailureKeepsReasonAndStack(t *testing.T) {
	for _, c := range []struct {
		name   string
		reason any
		want   string
	}{
		{"a text", "a text", "a text"},
		{"an error", errors.New("an error"), "an error"},
		{"nil", nil, "panic called with nil argument"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				child := w.child(w.root, "child", func(p *player) {
					if p.message == "go" {
						failDeepInside(c.reason)
					}
				})
				w.send(child, "go")
				f := w.reported()
				if len(f) != 1 || !strings.Contains(f[0].Reason, c.want) || !strings.Contains(f[0].Stack, "failDeepInside") {
					t.Errorf("%+v", f)
				}
				time.Sleep(second)
			})
		})
	}
}

//go:noinline
func failDeepInside(reason any) { panic(reason) }

// A panic while stopping is reported and recovered: the library would restart the actor,
// or never notify its parent.
func TestPanicWhileStopping(t *testing.T) {
	for _, when := range []any{"stopping", "terminated", "stopped"} {
		t.Run(when.(string), func(t *testing.T) {
			bubble(t, func(w *world) {
				parent := w.child(w.root, "parent", nil)
				child := w.child(parent, "child", func(p *player) {
					if p.message == when {
						panic("on the way out")
					}
				})
				w.child(child, "grandchild", nil)
				w.system.Root.Stop(child)
				time.Sleep(time.Minute)
				synctest.Wait()
				if f := w.reported(); len(f) != 1 || f[0].Reason != "on the way out" || f[0].Actor != child.Id || f[0].Decision.Verdict != GiveUp {
					t.Errorf("reported: %+v", f)
				}
				if w.alive(child) {
					t.Error("it did not stop")
				}
				if got := w.reports(parent.Id); !slices.Contains(got, any("terminated")) {
					t.Errorf("the parent got no Terminated: %v", got)
				}
				if got := w.reports(child.Id); !slices.Equal(got, []any{"started", "stopping", "terminated", "stopped"}) {
					t.Errorf("the child went through %v", got)
				}
				if v := w.tree.Snapshot(parent.Id, time.Now()); len(v.Children) != 0 {
					t.Errorf("it is still in the tree: %+v", v.Children)
				}
			})
		})
	}
}

// A panic while restarting is one more failure; the actor is restarted again.
func TestPanicWhileRestarting(t *testing.T) {
	bubble(t, func(w *world) {
		broken := true
		child := w.child(w.root, "child", func(p *player) {
			if p.message == "restarting" && broken {
				broken = false
				panic("cannot let go")
			}
		})
		w.send(child, crashNow)
		time.Sleep(time.Minute)
		synctest.Wait()
		want := []time.Duration{0, half + second}
		if got := w.times(child.Id, "started"); !slices.Equal(got, want) {
			t.Errorf("started at %v, want %v", got, want)
		}
	})
}

// An actor that waits for its children gets no messages: a child that it then spawned would never
// be stopped, and neither would the actor.
func TestStoppingActorGetsNoMessages(t *testing.T) {
	bubble(t, func(w *world) {
		parent := w.child(w.root, "parent", nil)
		child := w.child(parent, "child", nil)
		w.child(child, "slow", func(p *player) {
			if p.message == "stopping" {
				time.Sleep(3 * second)
			}
		})
		w.system.Root.Stop(child)
		time.Sleep(second)
		w.child(child, "late", nil)
		w.send(child, crashNow)
		w.send(child, "hello")
		time.Sleep(time.Minute)
		synctest.Wait()
		if w.alive(child) {
			t.Error("it did not stop")
		}
		if got := w.reports(child.Id); !slices.Equal(got, []any{"started", "stopping", "terminated", "stopped"}) {
			t.Errorf("it went through %v", got)
		}
		if f := w.reported(); len(f) != 0 {
			t.Errorf("reported: %+v", f)
		}
	})
}
