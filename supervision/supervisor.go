package supervision

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// Failure reports one crash of an actor and the decision about it, for logs, metrics and tests.
type Failure struct {
	Actor    string // the actor's address
	Kind     string
	Reason   string
	Stack    string // of the panic
	Decision Decision
	Restarts int // so far
}

// Supervisor applies a [Policy] to the children of one actor. It keeps a history per child, so the
// failures of a child never use up restarts of its siblings.
type Supervisor struct {
	policy Policy
	tree   *Tree

	mu        sync.Mutex
	histories map[string]History // by child address
}

// NewSupervisor returns a supervisor that applies policy and records failures in tree.
func NewSupervisor(policy Policy, tree *Tree) *Supervisor {
	return &Supervisor{policy: policy, tree: tree, histories: map[string]History{}}
}

// HandleFailure implements the actor library's SupervisorStrategy. The child's
// mailbox is suspended until the restart.
func (s *Supervisor) HandleFailure(_ *actor.ActorSystem, parent actor.Supervisor, child *actor.PID, _ *actor.RestartStatistics, reason, _ any) {
	now := time.Now()
	s.mu.Lock()
	history, decision := s.policy.Decide(s.histories[child.Id], now, rand.Float64())
	s.histories[child.Id] = history
	if decision.Verdict == GiveUp {
		delete(s.histories, child.Id)
	}
	s.mu.Unlock()

	s.tree.failed(child.Id, reason, decision, history.Total, now)
	if decision.Verdict == GiveUp {
		parent.StopChildren(child)
		return
	}
	s.tree.restartAfter(child.Id, decision.After, func() { parent.RestartChildren(child) })
}

// Forget drops the history of a child that has stopped permanently.
func (s *Supervisor) Forget(child *actor.PID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.histories, child.Id)
}
