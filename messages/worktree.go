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

// By is the client that asks for a change, as it calls itself; the audit log names it. Under the same idempotency key the change is
// made once: the same request again, also after a crash, gets the answer of the first. An error is not remembered.
type By struct {
	Client ClientID
	Key    string // a UUID; empty = none
	Digest []byte // of the request, if it has a key
}

// Caller returns the client of the request and its idempotency key.
func (b By) Caller() By { return b }

// CreateWorktree makes a worktree: a directory in which one branch is checked out. Its key becomes the id of the worktree: a
// repeated request is answered with the worktree as it is then. Answered with [WorktreeView] when the worktree is whole.
type CreateWorktree struct {
	ask
	By
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
	By
	Worktree string
	Force    bool // although work is lost

	UnusedSince time.Time // only if it was last used before, and no lease is held; zero = however it is used
	Retention   bool      // the daemon asks by itself: only the directory that it has made, and only without sessions

	Common string // its repository; the daemon sets it
}

// Repository implements [WorktreeRequest].
func (m RemoveWorktree) Repository() string { return m.Common }

// WorktreeRemoved answers [RemoveWorktree].
type WorktreeRemoved struct {
	answer
	SessionsClosed int // whose agents ran
}

// PruneWorktrees removes the worktrees that were not used since a time and have nothing that [RemoveWorktree] refuses, and those whose
// directory has gone. Each is checked again right before its removal. Answered with [WorktreesPruned].
type PruneWorktrees struct {
	ask
	By
	Directory   string    // absolute; only those of its repository; empty = all
	UnusedSince time.Time // required
	DryRun      bool      // only tells which they are
}

// WorktreesPruned answers [PruneWorktrees], oldest first.
type WorktreesPruned struct {
	answer
	Worktrees []PrunedWorktree
	Examined  int // worktrees that were looked at
}

// PrunedWorktree is one that is not needed.
type PrunedWorktree struct {
	Worktree WorktreeView
	Removed  bool
	Problem  *Error // why it was not removed; nil if it was, or was not to be
}

// SwitchWorktree makes a worktree the active one of its repository. Answered with [WorktreeSwitched].
type SwitchWorktree struct {
	ask
	By
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
	By
	Worktree string

	Common string // its repository; the daemon sets it
}

// Repository implements [WorktreeRequest].
func (m SetupWorktree) Repository() string { return m.Common }

// MergeBranches merges branches into another one of the repository, in order, each with a commit of its own; all or nothing. The
// merge with the same id is made once, however often it is asked for. It is refused with [MergeConflict], and then nothing has
// changed. Answered with [BranchesMerged].
type MergeBranches struct {
	ask
	ID        string // a UUID
	Directory string // absolute; any directory of the repository
	Branches  []string
	Into      string
	Within    string // the working tree of Into, if there is one, is inside of this directory; empty = anywhere

	Common string // the repository; the daemon sets it
}

// Repository implements [WorktreeRequest].
func (m MergeBranches) Repository() string { return m.Common }

// BranchesMerged answers [MergeBranches].
type BranchesMerged struct {
	answer
	Commit string // that has the branches
	Made   bool   // now; otherwise the branches were merged before
}

// ReadSetup asks for what the setup of a worktree writes. It does not wait. Answered with [SetupPage].
type ReadSetup struct {
	ask
	Worktree string
	Run      string // as a page has said; empty = the last one
	From     uint64 // bytes of its output that the caller has
}

// SetupPage answers [ReadSetup]. Of a long output only the end is kept: From is then above that of the request.
type SetupPage struct {
	answer
	Run     string
	Output  []byte
	From    uint64 // offset of Output
	Next    uint64 // offset behind it
	Status  SetupStatus
	Ended   bool            // there is nothing behind Next
	Changed <-chan struct{} // closed when there is more, or the end; nil if it has ended
}

// CancelSetup ends the setup of a worktree, or takes it out of the queue. It does not wait for changes of the repository.
// One that does not run is [WrongState]. Answered with [WorktreeView] when it has ended.
type CancelSetup struct {
	ask
	By
	Worktree string
}

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
	LastUsed      time.Time // when it was created or switched to, or one of them was used

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
	SetupCanceled   SetupStatus = "canceled"    // a client canceled it
)

// WorktreeSetup is the last setup of a worktree.
type WorktreeSetup struct {
	Status SetupStatus `json:"status,omitempty"`
	Output string      `json:"output,omitempty"` // the end of what it wrote, at most 8 KiB; while it runs, as of a second ago
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
