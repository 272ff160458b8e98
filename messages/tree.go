package messages

import "time"

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
