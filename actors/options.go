package actors

import (
	"time"

	"github.com/rs/zerolog"

	"betcode/actors/disk"
	measure "betcode/actors/internal/disk"
	"betcode/actors/internal/spool"
	"betcode/actors/internal/workdir"
	"betcode/actors/journal"
	"betcode/actors/settings"
	"betcode/messages"
	"betcode/supervision"
)

// Options is the configuration of the actor system. All times are durations of the
// wall clock.
type Options struct {
	Store         journal.Store          // the journal's files
	RunsDirectory string                 // run directories are made below it, 0700
	Program       string                 // the agent's executable; looked up in PATH when it has no slash
	Environment   []string               // what agents inherit, as "NAME=value"
	AgentVersion  func() string          // the version of Program; not called in steps; nil or empty = not known
	Keeps         func(name string) bool // whether a session keeps a variable of the client that began it; nil = none
	Settings      *settings.Settings     // settings that may change while the system runs, see [System.Change]; nil = the defaults
	Home          string                 // the user's home directory, for rules about what is below it
	Directories   Directories            // the settings, rules and servers of working directories; nil = nothing
	NotifyEnv     []string               // what the program for notifications inherits, as "NAME=value": no secrets
	Lease         string                 // a locked file; agents end themselves when it is unlocked for a day; empty = they never do
	LockGrace     time.Duration          // how long the input lock is kept after a crash for the client that held it; 0 = 10 s
	Gather        time.Duration          // least time between two journal transactions
	Logger        *zerolog.Logger        // never nil
	Version       string                 // of the daemon, for health
	MachineFile   string                 // where the machine's id is kept; empty = nowhere
	FreeMemory    func() int64           // available bytes of memory, 0 = not known; must not wait; nil = memory admits any number of agents
	MemoryLimit   int64                  // the daemon's limit of memory in bytes, for health; not positive = no limit
	Now           func() time.Time
	Restart       supervision.Policy    // of crashed actors
	AgentRestart  supervision.Policy    // of crashed agents; the zero value = the same
	Disk          DiskOptions           // how much of the disk the daemon may fill
	Backups       journal.BackupOptions // scheduled copies of the journal

	// Protected are the daemon's own directories: configuration, state, sockets. No rule lets an
	// agent write there, nor to the files of the built-in list; nil = nothing is protected.
	Protected []string

	VersionsFile            string // stores which versions of the agent do not continue a turn; empty = not stored
	ReposDirectory          string // records of registered repositories; used with WorktreesDirectory
	OrchestrationsDirectory string // journals of orchestrations; empty = the system keeps none
	WorktreesDirectory      string // records of worktrees; empty = the system keeps none
	Executable              string // the program that agents start as their fleet server; empty = none
	Socket                  string // the socket on which the daemon serves the fleet server
	FleetFile               string // stores that the fleet is stopped; empty = in memory alone
	LimitsFile              string // stores the rate limits of accounts; empty = in memory alone
	SearchDirectory         string // of the search index; empty = there is none
	NoticesDirectory        string // stores notifications that wait; empty = in memory alone
	StopsDirectory          string // the saved stops of sessions; empty = not stored

	Mask  func(text string) string  // hides secrets in the lines of agents that the log shows; nil = shows nothing of them
	Audit func(messages.AuditEntry) // writes the audit log, one entry after the other; nil = there is no audit log
	// Components returns the health of the daemon's parts that are no actors; nil = there are none.
	Components func() []messages.ComponentHealth
}

// Directories finds the settings, rules and servers that working directories bring along, see [Options].
type Directories = workdir.Source

// SessionDefaults are the settings of a session whose request has none.
type SessionDefaults = workdir.Defaults

// DiskOptions limit how much of the disk the daemon may fill.
type DiskOptions struct {
	Low          int64         // with fewer free bytes the disk of RunsDirectory counts as full; 0 = 512 MiB, or a twentieth of a small one
	ArchiveBytes int64         // most bytes of archived agent output; 0 = 5 GiB
	ArchiveAge   time.Duration // greatest age of archived agent output; 0 = 30 days
	SpoolQuota   int64         // an agent that is so many bytes ahead of the journal is frozen; 0 = 1 GiB, negative = none
	Reserve      string        // a file that keeps room for a full disk; empty = none

	look      func() (measure.Space, error)         // for tests: the free space; nil = of the filesystem of RunsDirectory
	openSpool func(path string) (spool.File, error) // for tests: opens the files that agents write; nil = the real files
}

// newMeter returns the meter of the disk that holds the run directories.
func newMeter(o Options) *disk.Meter {
	look := o.Disk.look
	if look == nil {
		look = func() (measure.Space, error) { return measure.Look(o.RunsDirectory) }
	}
	return disk.NewMeter(o.Disk.Low, look)
}
