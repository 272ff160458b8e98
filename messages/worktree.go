package messages

import "time"

// Messages about worktrees of git repositories. A request names a worktree by id, by a prefix of the id, or by a unique
// name.

// WorktreeRequest is a [Request] that the actor of one repository executes in order.
type WorktreeRequest interface {
	Request
	// Repository returns the common git directory, which the daemon has set.
	Repository() string
}

// By is the client that requests a change, for the audit log, and the idempotency key. A repetition under the same key,
// even after a crash, gets the answer of the first request. Errors are not stored.
type By struct {
	Client ClientID
	Key    string // a UUID; empty = none
	Digest []byte // of the request, if it has a key
}

// Caller returns the client of the request and its idempotency key.
func (b By) Caller() By { return b }

// CreateWorktree creates a worktree: a directory in which one branch is checked out. Its key becomes the id of the
// worktree, so a repetition is answered with the worktree as it then is. Answered with [WorktreeView] when the worktree
// is complete.
type CreateWorktree struct {
	ask
	By
	Directory    string // absolute; any directory of the repository
	Branch       string
	Name         string // empty = the branch, with dashes for slashes
	Path         string // absolute; empty = beside the repository
	CreateBranch bool   // create the branch
	Base         string // revision at which a new branch begins; empty = the one checked out in Directory

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
	Force    bool // even if work is lost

	UnusedSince time.Time // only if it is unused since then, and not leased; zero = regardless of use
	Retention   bool      // sent by the daemon: only for a directory that it created and that has no sessions

	Common string // its repository; the daemon sets it
}

// Repository implements [WorktreeRequest].
func (m RemoveWorktree) Repository() string { return m.Common }

// WorktreeRemoved answers [RemoveWorktree].
type WorktreeRemoved struct {
	answer
	SessionsClosed int // sessions whose agents ran
}

// PruneWorktrees removes worktrees that are unused since a time and that [RemoveWorktree] would remove without Force,
// and worktrees whose directory is missing. Each is checked again right before its removal. Answered with
// [WorktreesPruned].
type PruneWorktrees struct {
	ask
	By
	Directory   string    // absolute; only those of its repository; empty = all
	UnusedSince time.Time // required
	DryRun      bool      // only reports them
}

// WorktreesPruned answers [PruneWorktrees], oldest first.
type WorktreesPruned struct {
	answer
	Worktrees []PrunedWorktree
	Examined  int // examined worktrees
}

// PrunedWorktree is one worktree that was removed or could be.
type PrunedWorktree struct {
	Worktree WorktreeView
	Removed  bool
	Problem  *Error // why it was not removed; nil if it was, or in a dry run
}

// SwitchWorktree makes a worktree the active worktree of its repository. Answered with
// [WorktreeSwitched].
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

// MergeBranches merges branches into another one of the repository, in order, each with a commit of its own; all or
// nothing. It is idempotent for the same id. On a conflict it is refused with [MergeConflict] and changes nothing.
// Answered with [BranchesMerged].
type MergeBranches struct {
	ask
	ID        string // a UUID
	Directory string // absolute; any directory of the repository
	Branches  []string
	Into      string
	Within    string // directory in which the working tree of Into must be, if there is one; empty = anywhere

	Common string // the repository; the daemon sets it
}

// Repository implements [WorktreeRequest].
func (m MergeBranches) Repository() string { return m.Common }

// BranchesMerged answers [MergeBranches].
type BranchesMerged struct {
	answer
	Commit string // commit with the merged branches
	Made   bool   // false: the branches had been merged before
}

// ReadSetup asks for output of the setup of a worktree. It does not wait. Answered with [SetupPage].
type ReadSetup struct {
	ask
	Worktree string
	Run      string // from a page; empty = the last one
	From     uint64 // offset in the output from which to read
}

// SetupPage answers [ReadSetup]. Only the end of a long output is kept: From may then exceed that of the request.
type SetupPage struct {
	answer
	Run     string
	Output  []byte
	From    uint64 // offset of Output
	Next    uint64 // offset behind it
	Status  SetupStatus
	Ended   bool            // there is no output after Next
	Changed <-chan struct{} // closed when there is more output or the setup has ended; nil if it has ended
}

// CancelSetup ends the setup of a worktree, or takes it out of the queue. It does not wait for other changes of the
// repository. It is refused with [WrongState] if no setup runs. Answered with [WorktreeView] when it has ended.
type CancelSetup struct {
	ask
	By
	Worktree string
}

// ListWorktrees asks for the worktrees that the daemon knows. It does not wait for changes of a repository. Answered
// with [WorktreeList].
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
