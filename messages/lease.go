package messages

import "time"

// LeaseMode is how a session shares a worktree with others. Stored: append only.
type LeaseMode string

// The modes. An exclusive lease excludes every other session; a shared one excludes only exclusive leases. A session without
// a lease is excluded by exclusive leases and excludes nobody.
const (
	LeaseNone      LeaseMode = ""
	LeaseShared    LeaseMode = "shared"
	LeaseExclusive LeaseMode = "exclusive"
)

// LeaseWorktree takes a lease of a worktree for a session, or changes the one it holds. It is refused with [Exhausted] and
// [WorktreeInUse] while another session excludes it, unless the caller waits. It ends with [ReleaseWorktree], and when the
// holder is stopped or deleted; a holder that was stopped has to take it again before it works. Answered with
// [WorktreeView] when the lease is durable.
type LeaseWorktree struct {
	ask
	Worktree string
	Holder   SessionID // it need not exist yet
	Mode     LeaseMode
	Wait     bool // until the lease is free, or the caller's context ends; callers are served in order

	Ticket uint64 // of a caller that waits; the daemon sets it
	Common string // the repository; the daemon sets it
}

// Repository implements [WorktreeRequest].
func (m LeaseWorktree) Repository() string { return m.Common }

// ReleaseWorktree gives a lease back. One that is not held is no error. Answered with [Done].
type ReleaseWorktree struct {
	ask
	Worktree string // empty = all worktrees of the holder
	Holder   SessionID

	Common string // the repository; the daemon sets it
}

// Repository implements [WorktreeRequest].
func (m ReleaseWorktree) Repository() string { return m.Common }

// EndLease notes how far the end of a session with a lease has come; the daemon sends it. Answered with [Done].
type EndLease struct {
	ask
	Worktree string
	Holder   SessionID
	How      LeaseEnd

	Common string // the repository
}

// Repository implements [WorktreeRequest].
func (m EndLease) Repository() string { return m.Common }

// LeaseEnd is how far the end of the holder of a lease has come.
type LeaseEnd int

// The ends. One that is asked for is noted first, so that a daemon that dies in the middle of it leaves no lease behind.
const (
	HolderEnding  LeaseEnd = iota // a stop or a deletion is asked for
	HolderStays                   // it was refused
	HolderStopped                 // the lease is kept, but excludes nobody until the session works again
	HolderDeleted
)

// WorktreeLease is the lease that a session has of a worktree.
type WorktreeLease struct {
	Holder SessionID `json:"holder"`
	Mode   LeaseMode `json:"mode"`
	Since  time.Time `json:"since"`
	Ended  bool      `json:"ended,omitempty"`  // the holder was stopped: it excludes nobody until the holder works again
	Ending bool      `json:"ending,omitempty"` // the holder is being stopped or deleted
	Stale  bool      `json:"stale,omitempty"`  // the holder was not there when the daemon started: it excludes nobody
}

// Held reports whether the lease excludes others.
func (l WorktreeLease) Held() bool { return !l.Ended && !l.Stale }
