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

// Options is what the actor system is built from. All times are durations of
// the wall clock.
type Options struct {
	Store         journal.Store          // the journal's files
	RunsDirectory string                 // run directories are made below it, 0700
	Program       string                 // the agent's executable; looked up in PATH when it has no slash
	Environment   []string               // what agents inherit, as "NAME=value"
	AgentVersion  func() string          // the version of Program, asked outside of actors; nil or empty = not known
	Keeps         func(name string) bool // whether a session keeps a variable of the client that began it; nil = none
	Settings      *settings.Settings     // what may change while the system runs, see [System.Change]; nil = the defaults
	Home          string                 // the user's home directory, for rules about what is below it
	Directories   Directories            // what working directories bring along; nil = nothing
	NotifyEnv     []string               // what the program for notifications inherits, as "NAME=value": no secrets
	Lease         string                 // a file kept locked; agents that for a day find it is not end themselves; empty = never
	LockGrace     time.Duration          // how long the input lock is kept after a crash for the client that held it; 0 = 10 s
	Gather        time.Duration          // least time between two journal transactions
	Logger        *zerolog.Logger        // never nil
	Version       string                 // of the daemon, for health
	MachineFile   string                 // where the machine's id is kept; empty = nowhere
	FreeMemory    func() int64           // bytes of memory that are available, 0 = not known; it does not wait; nil = agents start by number alone
	MemoryLimit   int64                  // bytes the daemon should not use more of, for health; not positive = no limit
	Now           func() time.Time
	Restart       supervision.Policy    // of crashed actors
	AgentRestart  supervision.Policy    // of crashed agents; the zero value = the same
	Disk          DiskOptions           // how much of the disk may be filled
	Backups       journal.BackupOptions // whether the journal is copied from time to time

	// Protected are the daemon's own directories: configuration, state, sockets. No rule lets an
	// agent write there, nor to the files of the built-in list; nil = there is no such list.
	Protected []string

	VersionsFile            string // where it is kept which versions of the agent do not continue a turn; empty = nowhere
	ReposDirectory          string // records of registered repositories; used with WorktreesDirectory
	OrchestrationsDirectory string // journals of orchestrations; empty = the system keeps none
	WorktreesDirectory      string // records of worktrees; empty = the system keeps none
	Executable              string // the program that is started as the fleet server of agents; empty = none is
	Socket                  string // on which the daemon serves it
	FleetFile               string // where it is stored that the fleet is stopped; empty = in memory alone
	LimitsFile              string // where rate limits of accounts are stored; empty = in memory alone
	SearchDirectory         string // of the search index; empty = there is none
	NoticesDirectory        string // where notifications that wait are stored; empty = in memory alone
	StopsDirectory          string // where it is noted which sessions are to be stopped while the journal fails; empty = nowhere

	Mask  func(text string) string  // hides secrets in what the log shows of an agent's words; nil = shows nothing of them
	Audit func(messages.AuditEntry) // writes the audit log, one entry after the other; nil = nobody writes one
	// Components are how those parts of the daemon are that are no actors, for health; nil = there are none.
	Components func() []messages.ComponentHealth
}

// Directories tells what working directories bring along, see [Options].
type Directories = workdir.Source

// SessionDefaults is what a session has that was started without.
type SessionDefaults = workdir.Defaults

// DiskOptions say how much of the disk the daemon may fill.
type DiskOptions struct {
	Low          int64         // with fewer free bytes the disk of RunsDirectory counts as full; 0 = 512 MiB, or a twentieth of a small one
	ArchiveBytes int64         // of the record of what agents wrote; 0 = 5 GiB
	ArchiveAge   time.Duration // of the same; 0 = 30 days
	SpoolQuota   int64         // an agent that is so many bytes ahead of the journal is frozen; 0 = 1 GiB, negative = none
	Reserve      string        // a file that keeps room for a full disk; empty = none

	look      func() (measure.Space, error)         // for tests: how much room there is; nil = as the filesystem of RunsDirectory says
	openSpool func(path string) (spool.File, error) // for tests: the files that agents write; nil = as they are
}

// newMeter returns the meter of the disk that holds the run directories.
func newMeter(o Options) *disk.Meter {
	look := o.Disk.look
	if look == nil {
		look = func() (measure.Space, error) { return measure.Look(o.RunsDirectory) }
	}
	return disk.NewMeter(o.Disk.Low, look)
}
