package messages

import "time"

// GetHealth asks for the health of the daemon's components. Outdated checks are repeated
// first, which takes a few seconds at most. Answered with [HealthView].
type GetHealth struct{ ask }

// HealthView answers [GetHealth].
type HealthView struct {
	answer
	Components []ComponentHealth
	Metadata   map[string]string // version, uptime, pid, lineage, …
}

// ComponentHealth is one line of the health report. Names and meanings are
// those of the API document.
type ComponentHealth struct {
	Name     string
	Serving  bool
	Critical bool   // if it does not serve, the daemon does not serve; otherwise the daemon is degraded
	Message  string // "3/5 slots used"
	Checked  time.Time

	// The problem, empty without one. A component that serves may be degraded.

	State  string // name of the degraded state: "subprocess_pool_full"
	Reason string // the same for people: "All subprocess slots in use"
	Impact string // effect on users: "New sessions queued"
}

// Degraded reports whether the component has a problem that does not stop the daemon from serving.
func (c ComponentHealth) Degraded() bool { return !c.Critical && (!c.Serving || c.State != "") }

// GetTree asks for the live supervision tree. Answered with [TreeNode].
type GetTree struct{ ask }

// TreeNode is one actor of the live supervision tree.
type TreeNode struct {
	answer
	Name      string // last element of its address: "session/3f2a…"
	Kind      string // "session"
	State     string // "running", "restarting", "backing off", "stopped", "gave up"
	Restarts  int
	Backoff   time.Duration // remaining time; 0 = none
	LastError string
	Mailbox   int // number of waiting messages
	StartedAt time.Time
	Details   map[string]string
	Children  []TreeNode
}
