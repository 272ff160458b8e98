package messages

import "time"

// LeaseMode is how a session shares a worktree. Stored: append only.
type LeaseMode string

// The modes. An exclusive lease excludes every other session; a shared one excludes only exclusive leases. A session
// without a lease is excluded by exclusive leases and excludes no other session.
const (
	LeaseNone      LeaseMode = ""
	LeaseShared    LeaseMode = "shared"
	LeaseExclusive LeaseMode = "exclusive"
)

// LeaseWorktree takes a lease of a worktree for a session, or changes the one it holds. It is refused with [Exhausted]
// and [WorktreeInUse] while another session excludes it, unless Wait is set. The lease ends with [ReleaseWorktree], and
// when the holder is stopped or deleted. A stopped holder must take it again before it works. Answered with
// [WorktreeView] when the lease is durable.
type LeaseWorktree struct {
	ask
	Worktree string
	Holder   SessionID // it need not exist yet
	Mode     LeaseMode
	Wait     bool // until the lease is free, or the caller's context ends; callers are served in order

	Ticket uint64 // of a waiting caller; the daemon sets it
	Common string // the repository; the daemon sets it
}

// Repository implements [WorktreeRequest].
func (m LeaseWorktree) Repository() string { return m.Common }

// ReleaseWorktree releases a lease. It is no error if there is none. Answered with [Done].
type ReleaseWorktree struct {
	ask
	Worktree string // empty = all worktrees of the holder
	Holder   SessionID

	Common string // the repository; the daemon sets it
}

// Repository implements [WorktreeRequest].
func (m ReleaseWorktree) Repository() string { return m.Common }

// EndLease records how far the end of a lease's holder has come. Sent by the daemon. Answered with [Done].
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

// The stages. HolderEnding is recorded before the holder is stopped or deleted, so that a crash in between leaves no
// lease behind.
const (
	HolderEnding  LeaseEnd = iota // a stop or a deletion has been requested
	HolderStays                   // the request was refused
	HolderStopped                 // the lease is kept, and excludes no session until the holder works again
	HolderDeleted
)

// WorktreeLease is the lease that a session has of a worktree.
type WorktreeLease struct {
	Holder SessionID `json:"holder"`
	Mode   LeaseMode `json:"mode"`
	Since  time.Time `json:"since"`
	Ended  bool      `json:"ended,omitempty"`  // the holder was stopped: the lease excludes no session until the holder works again
	Ending bool      `json:"ending,omitempty"` // the holder is being stopped or deleted
	Stale  bool      `json:"stale,omitempty"`  // the holder did not exist when the daemon started: the lease excludes no session
}

// Held reports whether the lease excludes others.
func (l WorktreeLease) Held() bool { return !l.Ended && !l.Stale }
