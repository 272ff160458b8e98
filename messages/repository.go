package messages

import "time"

// Messages about registered repositories and their branches. A request names a repository by id, by a prefix of the id,
// by name, or by the absolute path of the main working tree. Changes are [WorktreeRequest]s: the actor of the
// repository executes them in order.

// PlaceMode is where worktrees of a repository are created when a request names no path. Stored: append only.
type PlaceMode string

// The modes.
const (
	PlaceDefault PlaceMode = ""       // beside the repository: <repository>-<name>
	PlaceGlobal  PlaceMode = "global" // <home>/betcode-worktrees/<repository>/<name>
	PlaceLocal   PlaceMode = "local"  // <repository>/<subfolder>/<name>
	PlaceCustom  PlaceMode = "custom" // <path>/<name>
)

// RepositorySettings are settings for new worktrees of a repository.
type RepositorySettings struct {
	Name      string    `json:"name"` // unique; empty = that of the directory
	Mode      PlaceMode `json:"mode,omitempty"`
	Subfolder string    `json:"subfolder,omitempty"` // of PlaceLocal: relative to the repository; empty = .worktrees
	Path      string    `json:"path,omitempty"`      // of PlaceCustom: absolute
	Ignore    bool      `json:"ignore,omitempty"`    // Subfolder is added to git's exclude file of the repository
}

// RegisterRepository adds a repository to the registry. A registered one is refused with [AlreadyExists]. Answered with
// [RepositoryView].
type RegisterRepository struct {
	ask
	By
	Directory string // absolute; any directory of the repository
	Settings  RepositorySettings

	Common, Main string // the daemon sets them
}

// UpdateRepository changes the settings of a repository. Nil fields stay unchanged. Answered with
// [RepositoryView].
type UpdateRepository struct {
	ask
	By
	Repo            string
	Name            *string
	Mode            *PlaceMode
	Subfolder, Path *string
	Ignore          *bool

	Common string // the daemon sets it
}

// UnregisterRepository removes a repository from the registry. Its files stay. With Worktrees, the daemon first removes
// the worktrees that it created; if one cannot be removed, the repository stays registered. Answered with
// [RepositoryUnregistered].
type UnregisterRepository struct {
	ask
	By
	Repo      string
	Worktrees bool

	Common string // the daemon sets it
}

// RepositoryUnregistered answers [UnregisterRepository].
type RepositoryUnregistered struct {
	answer
	Worktrees int // that were removed
}

// ListRepositories asks for the registered repositories. Answered with [RepositoryList].
type ListRepositories struct {
	ask
	Limit, Offset int // a limit of 0 is none
}

// RepositoryList answers [ListRepositories] and [ScanRepositories], sorted by name.
type RepositoryList struct {
	answer
	Repositories []RepositoryView
	Total        int
}

// GetRepository asks for one repository. Answered with [RepositoryView].
type GetRepository struct {
	ask
	Repo string
}

// ScanRepositories looks for repositories below a directory, registers new ones, and returns all that it found. It
// follows no links and skips hidden directories. Answered with [RepositoryList].
type ScanRepositories struct {
	ask
	By
	Directory string // absolute
	Depth     int    // levels below it; 0 = 3
}

// RepositoryView is a registered repository.
type RepositoryView struct {
	answer
	ID         string
	Path       string // the main working tree
	Settings   RepositorySettings
	Worktrees  int // that the daemon created
	CreatedAt  time.Time
	LastActive time.Time // newest use of its worktrees; CreatedAt if there is none
}

// ListBranches asks for the branches of a repository. Answered with [BranchList].
type ListBranches struct {
	ask
	Repo   string
	Remote bool // include branches of remotes
}

// BranchList answers [ListBranches], sorted by name, branches of remotes last.
type BranchList struct {
	answer
	Branches []BranchView
}

// GetBranch asks for a branch. Answered with [BranchView].
type GetBranch struct {
	ask
	Repo, Name string
}

// CreateBranch creates a branch. Answered with [BranchView].
type CreateBranch struct {
	ask
	By
	Repo, Name string
	Start      string // revision; empty = what is checked out in the main working tree

	Common, Main string // the daemon sets them
}

// DeleteBranch deletes a branch. It is refused with [WrongState] if the branch is checked out, or, without Force, if it
// has commits that exist nowhere else. Answered with [Done].
type DeleteBranch struct {
	ask
	By
	Repo, Name string
	Force      bool

	Common string // the daemon sets it
}

// BranchView is a branch.
type BranchView struct {
	answer
	Name     string
	Commit   string
	Subject  string // first line of the commit's message
	Head     bool   // checked out in the main working tree
	Worktree bool   // checked out in some working tree
	Remote   bool   // a remote-tracking branch
}

// Repository implements [WorktreeRequest].
func (m RegisterRepository) Repository() string { return m.Common }

// Repository implements [WorktreeRequest].
func (m UpdateRepository) Repository() string { return m.Common }

// Repository implements [WorktreeRequest].
func (m UnregisterRepository) Repository() string { return m.Common }

// Repository implements [WorktreeRequest].
func (m CreateBranch) Repository() string { return m.Common }

// Repository implements [WorktreeRequest].
func (m DeleteBranch) Repository() string { return m.Common }
