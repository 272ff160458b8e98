package messages

import "time"

// GetHealth asks how the daemon's components are. Answered with [HealthView], after
// a few seconds at most: what has not been checked for too long is checked first.
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
	Critical bool   // not serving makes the daemon not serving; else degraded
	Message  string // "3/5 slots used"
	Checked  time.Time

	// What is wrong, empty while nothing is. A component that serves may be degraded.

	State  string // the degraded state's name: "subprocess_pool_full"
	Reason string // the same for people: "All subprocess slots in use"
	Impact string // what is lost by it: "New sessions queued"
}

// Degraded reports whether something is wrong with it that the daemon lives with.
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
	Backoff   time.Duration // left of it, 0 if none
	LastError string
	Mailbox   int // messages waiting
	StartedAt time.Time
	Details   map[string]string
	Children  []TreeNode
}
