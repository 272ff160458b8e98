package supervision

import (
	"slices"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/messages"
)

// Tree is the live tree of all actors that were spawned with [Tree.Props]. It is safe for concurrent use.
type Tree struct {
	report   func(Failure)
	executor *Executor

	mu    sync.Mutex
	nodes map[string]*node // by address
}

type node struct {
	parent   string
	view     messages.TreeNode
	backoff  time.Time // until when
	restart  *time.Timer
	stopping bool // the actor is stopping or has stopped
	box      actor.Mailbox
}

// NewTree returns an empty tree of actors that executor runs. report is called with each failure; it must not block.
func NewTree(executor *Executor, report func(Failure)) *Tree {
	return &Tree{report: report, executor: executor, nodes: map[string]*node{}}
}

// Snapshot returns the tree below the actor with the given address at now.
func (t *Tree) Snapshot(root string, now time.Time) messages.TreeNode {
	t.mu.Lock()
	defer t.mu.Unlock()
	children := map[string][]string{}
	for id, n := range t.nodes {
		children[n.parent] = append(children[n.parent], id)
	}
	return t.view(root, children, now)
}

func (t *Tree) view(id string, children map[string][]string, now time.Time) messages.TreeNode {
	n := t.nodes[id]
	if n == nil {
		return messages.TreeNode{Name: id, State: "stopped"}
	}
	v := n.view
	v.Backoff = max(0, n.backoff.Sub(now))
	v.Details = map[string]string{}
	for key, value := range n.view.Details {
		v.Details[key] = value
	}
	if n.box != nil {
		v.Mailbox = n.box.UserMessageCount()
	}
	ids := children[id]
	slices.Sort(ids)
	for _, child := range ids {
		v.Children = append(v.Children, t.view(child, children, now))
	}
	return v
}

// Detail sets a detail of an actor in the tree. An empty value removes it.
func (t *Tree) Detail(pid *actor.PID, key, value string) {
	t.update(pid.Id, func(n *node) {
		if value == "" {
			delete(n.view.Details, key)
			return
		}
		n.view.Details[key] = value
	})
}

func (t *Tree) update(id string, change func(*node)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.nodes[id]; n != nil {
		change(n)
	}
}

func (t *Tree) spawned(ctx actor.Context, kind string, box actor.Mailbox) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id, parent := ctx.Self().Id, ""
	name := id
	if ctx.Parent() != nil {
		parent = ctx.Parent().Id
		if len(id) > len(parent) && id[:len(parent)] == parent {
			name = id[len(parent)+1:]
		}
	}
	t.nodes[id] = &node{parent: parent, box: box, view: messages.TreeNode{
		Name: name, Kind: kind, State: "starting", StartedAt: time.Now(), Details: map[string]string{},
	}}
}

func (t *Tree) started(id string) {
	t.update(id, func(n *node) { n.view.State, n.backoff = "running", time.Time{} })
}

// restartAfter restarts an actor after its backoff, unless it stops first: the library would restart a stopping actor.
func (t *Tree) restartAfter(id string, backoff time.Duration, restart func()) {
	t.update(id, func(n *node) {
		if n.stopping {
			return
		}
		n.restart = time.AfterFunc(backoff, func() {
			t.update(id, func(now *node) {
				if now == n && !n.stopping {
					restart()
				}
			})
		})
	})
}

// markStopping records that an actor is stopping, and cancels its pending restart.
func (t *Tree) markStopping(id string) {
	t.update(id, func(n *node) {
		n.stopping = true
		if n.restart != nil {
			n.restart.Stop()
		}
	})
}

func (t *Tree) isStopping(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.nodes[id]
	return n != nil && n.stopping
}

func (t *Tree) stopped(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.nodes, id)
}

func (t *Tree) failed(id string, reason any, d Decision, total int, now time.Time) {
	f := Failure{Actor: id, Decision: d, Restarts: total}
	if c, ok := reason.(*crash); ok {
		f.Reason, f.Stack = c.Error(), c.stack
	} else {
		f.Reason = (&crash{reason: reason}).Error()
	}
	t.update(id, func(n *node) {
		f.Kind = n.view.Kind
		n.view.LastError, n.view.Restarts = f.Reason, total
		n.view.State, n.backoff = "backing off", now.Add(d.After)
		if d.Verdict == GiveUp {
			n.view.State = "gave up"
		}
	})
	t.report(f)
}

func (t *Tree) recovered(id string, c *crash) {
	t.report(Failure{Actor: id, Reason: c.Error(), Stack: c.stack, Decision: Decision{Verdict: GiveUp, Reason: "it was stopping"}})
}

// Count returns the number of live actors of a kind.
func (t *Tree) Count(kind string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	count := 0
	for _, n := range t.nodes {
		if n.view.Kind == kind {
			count++
		}
	}
	return count
}
