package messages

import "time"

// WorktreeState is the state of a worktree.
type WorktreeState string

// The states. A worktree is stale if its directory is missing; it can only be removed.
const (
	WorktreeCreating WorktreeState = "creating"
	WorktreeReady    WorktreeState = "ready"
	WorktreeRemoving WorktreeState = "removing"
	WorktreeStale    WorktreeState = "stale"
)

// WorktreeView is a worktree as clients see it.
type WorktreeView struct {
	answer
	ID         string
	Name       string
	Path       string
	Branch     string
	Repository string // the main working tree
	State      WorktreeState
	Active     bool // the last one of its repository that was switched to
	CreatedAt  time.Time

	Sessions      int       // sessions that work in it
	ActiveSession SessionID // the most recently used of them; empty if there is none
	LastUsed      time.Time // when it was created, switched to, or used by a session

	Setup WorktreeSetup

	Leases []WorktreeLease // of sessions, oldest first

	Work *WorktreeWork // nil if it could not be determined in time
}

// SetupStatus is how far the setup of a worktree has come.
type SetupStatus string

// The statuses. A repository without a setup has none.
const (
	SetupNone       SetupStatus = ""
	SetupRunning    SetupStatus = "running"
	SetupReady      SetupStatus = "ready"
	SetupFailed     SetupStatus = "failed"
	SetupTimeout    SetupStatus = "timeout"
	SetupNotTrusted SetupStatus = "not_trusted" // it did not run: the user does not trust the worktree
	SetupCanceled   SetupStatus = "canceled"    // a client canceled it
)

// WorktreeSetup is the last setup of a worktree.
type WorktreeSetup struct {
	Status SetupStatus `json:"status,omitempty"`
	Output string      `json:"output,omitempty"` // the end of its output, at most 8 KiB; while it runs, up to a second old
}

// WorktreeWork is how a worktree differs from its commit and from remotes.
type WorktreeWork struct {
	Commit     string
	Changed    int    // files that differ from the commit
	Untracked  int    // files and directories that git does not track
	Upstream   string // the branch of the remote that it follows; empty if there is none
	Ahead      uint32 // commits that the upstream does not have
	Behind     uint32 // commits that only the upstream has
	Unpushed   uint32 // commits that neither a remote nor another branch has
	DiskBytes  uint64 // of the files in the directory
	DiskFailed bool   // DiskBytes is incomplete
}
