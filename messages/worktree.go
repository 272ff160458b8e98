package messages

import "time"

// The conversation about worktrees of git repositories. Where a request names a worktree, it takes the id, its beginning, or
// the name if no other worktree has it.

// WorktreeRequest is a [Request] that one repository answers, after those before it.
type WorktreeRequest interface {
	Request
	// Repository returns the common git directory; the daemon has found it.
	Repository() string
}

// CreateWorktree makes a worktree: a directory in which one branch is checked out. Answered with [WorktreeView] when the
// worktree is whole.
type CreateWorktree struct {
	ask
	Directory    string // absolute; any directory of the repository
	Branch       string
	Name         string // empty = the branch, with dashes for slashes
	Path         string // absolute; empty = beside the repository
	CreateBranch bool   // the branch is new
	Base         string // revision at which a new branch begins; empty = what is checked out in Directory

	Common string // the repository; the daemon sets both
	Main   string
}

// Repository implements [WorktreeRequest].
func (m CreateWorktree) Repository() string { return m.Common }

// RemoveWorktree stops the sessions in a worktree and removes its directory. The branch stays. It is refused with
// [WrongState] if work would be lost. Answered with [WorktreeRemoved].
type RemoveWorktree struct {
	ask
	Worktree string
	Force    bool // although work is lost

	Common string // its repository; the daemon sets it
}

// Repository implements [WorktreeRequest].
func (m RemoveWorktree) Repository() string { return m.Common }

// WorktreeRemoved answers [RemoveWorktree].
type WorktreeRemoved struct {
	answer
	SessionsClosed int // whose agents ran
}

// SwitchWorktree makes a worktree the active one of its repository. Answered with [WorktreeSwitched].
type SwitchWorktree struct {
	ask
	Worktree string

	Common string // its repository; the daemon sets it
}

// Repository implements [WorktreeRequest].
func (m SwitchWorktree) Repository() string { return m.Common }

// WorktreeSwitched answers [SwitchWorktree].
type WorktreeSwitched struct {
	answer
	Worktree WorktreeView
	Previous string // id of the one that was active; empty if none was
}

// SetupWorktree runs the setup of a worktree again. Answered with [WorktreeView] when it has begun.
type SetupWorktree struct {
	ask
	Worktree string

	Common string // its repository; the daemon sets it
}

// Repository implements [WorktreeRequest].
func (m SetupWorktree) Repository() string { return m.Common }

// ListWorktrees asks for the worktrees that the daemon keeps. It does not wait for changes of a repository. Answered with
// [WorktreeList].
type ListWorktrees struct {
	ask
	Directory string // only those of its repository; empty = all
}

// WorktreeList answers [ListWorktrees], oldest first.
type WorktreeList struct {
	answer
	Worktrees []WorktreeView
}

// GetWorktree asks for one worktree. Answered with [WorktreeView].
type GetWorktree struct {
	ask
	Worktree string
}

// WorktreeState is what a worktree can be used for.
type WorktreeState string

// The states. A worktree is stale if its directory has gone: it can be removed only.
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
	Active     bool // the one of its repository that was switched to last
	CreatedAt  time.Time

	Sessions      int       // that work in it
	ActiveSession SessionID // the one of them that was used last; empty if there is none

	Setup WorktreeSetup

	Leases []WorktreeLease // of sessions, oldest first

	Work *WorktreeWork // nil if it could not be found out in time
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
)

// WorktreeSetup is the last setup of a worktree.
type WorktreeSetup struct {
	Status SetupStatus `json:"status,omitempty"`
	Output string      `json:"output,omitempty"` // the end of what it wrote, at most 8 KiB
}

// WorktreeWork is how a worktree differs from what is committed and pushed.
type WorktreeWork struct {
	Commit     string
	Changed    int    // files that differ from the commit
	Untracked  int    // files and directories that git does not track
	Upstream   string // the branch of the remote that it follows; empty if there is none
	Ahead      uint32 // commits that the upstream does not have
	Behind     uint32 // commits that only the upstream has
	Unpushed   uint32 // commits that neither a remote nor another branch has
	DiskBytes  uint64 // of the files in the directory
	DiskFailed bool   // DiskBytes is not all of them
}
