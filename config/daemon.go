package config

import (
	"fmt"
	"time"
)

// LogLevels are the levels a daemon may log at, loudest last.
var LogLevels = []string{"error", "warn", "info", "debug", "trace"}

// ResumePolicies are the reactions to an interrupted turn: continue it, wait for a person, or end it.
var ResumePolicies = []string{"auto", "ask", "never"}

// SelfApprovalReactions are the reactions to an agent that approved itself.
var SelfApprovalReactions = []string{"freeze", "stop", "tell"}

// Fences are the modes of the fence: none, or agents may write only to their project.
var Fences = []string{"off", "project"}

// Daemon is [Settings] in the form of the daemon's parts. All paths are absolute, all sizes are
// in bytes. [Table] explains each setting.
type Daemon struct {
	ConfigDir  string
	StateDir   string
	SocketPath string
	LogLevel   string
	LogFile    string // empty = standard error
	Log        Log
	ClaudePath string
	Model      string // empty = the agent's own
	MaxAgents  int
	MaxWaiting int

	MinFreeMemory int64 // bytes; -1 = none
	AgentMemory   int64 // bytes
	MemoryMax     int64 // bytes; -1 = none
	MaxPayload    int
	MemoryLimit   int64 // 0 = no limit
	KeepAgents    bool

	AgentEnvironment AgentEnvironment

	OnSelfApproval string   // one of SelfApprovalReactions
	Fence          string   // one of Fences
	FenceWritable  []string // absolute, or ~/…
	AgentsFleet    bool     // every agent has the fleet server

	AgentSilence time.Duration
	ParkAfter    time.Duration
	WaitingHold  time.Duration
	LockGrace    time.Duration

	PermissionTTL, MinTTL, MaxTTL time.Duration
	ExtendOnActivity              bool
	Reminders                     []time.Duration // none, one or two
	NotifyExec                    []string        // empty = none
	Notify                        Notify
	Worktree                      Worktree
	Subagents                     Subagents
	Budget                        Budget

	Resume Resume
	Past   Past
	Disk   Disk
	Backup Backup
	Audit  Audit
	TCP    TCP
	Limits Limits
	GitLab GitLab
}

// GitLab names a GitLab and the place of its token.
type GitLab struct {
	URL       string // empty = the public one
	TokenFile string // empty = the token is in the environment
}

// Limits bound the rate of requests of one caller.
type Limits struct {
	PerSecond int // 0 = no limit
	Burst     int
}

// Log bounds the size of the log.
type Log struct {
	Bytes int64 // of one file; -1 = no limit
	Files int
}

// Audit bounds the audit log. A limit that is "off" is -1.
type Audit struct {
	Age   time.Duration // of an entry
	Bytes int64         // of all files
}

// Resume configures the reaction to an interrupted turn.
type Resume struct {
	Policy string // one of ResumePolicies
	Times  int    // how often a turn is continued automatically
	Grace  time.Duration
}

// Past configures the retention of history and the compaction of context. A limit that is "off" is -1.
type Past struct {
	AutoCompact      bool
	CompactThreshold uint64 // see [Past.Threshold]

	Bytes        int64         // of the journal's sealed files together
	Age          time.Duration // since a file was sealed
	SessionBytes int64         // of the events of one session
	SessionAge   time.Duration // of an event
	SearchBytes  int64         // of the search index
}

// Threshold returns the size in tokens above which the context is compacted; 0 = never.
func (p Past) Threshold() uint64 {
	if !p.AutoCompact {
		return 0
	}
	return p.CompactThreshold
}

// Backup configures scheduled backups of the journal.
type Backup struct {
	Every time.Duration // -1 = never
	Keep  int           // number of backups that are kept
}

// Disk bounds the use of the disk.
type Disk struct {
	ArchiveBytes int64         // of the archived output of agents
	ArchiveAge   time.Duration // of an archived file
	SpoolQuota   int64         // bytes ahead of the journal at which an agent is frozen
	Low          int64         // free bytes below which the disk is full; 0 = by the size of the filesystem
}

// Daemon returns the values as a [Daemon].
func (s Settings) Daemon() Daemon {
	d := Daemon{ConfigDir: s.ConfigDir}
	for _, v := range s.Values {
		if v.field != nil && v.Value != nil {
			assign(v.field(&d), v.Value)
		}
	}
	return d
}

// assign stores a value in a field; TestTable checks that they fit.
func assign(to, v any) {
	switch to := to.(type) {
	case *string:
		*to = v.(string)
	case *bool:
		*to = v.(bool)
	case *int:
		*to = int(v.(int64))
	case *int64:
		*to = v.(int64)
	case *uint64:
		*to = uint64(v.(int64))
	case *time.Duration:
		*to = v.(time.Duration)
	case *[]time.Duration:
		*to = v.([]time.Duration)
	case *[]string:
		*to = v.([]string)
	default:
		panic(fmt.Sprintf("a setting goes into a %T", to))
	}
}

// Subagents has the settings of subagents.
type Subagents struct {
	Limit           int           // running ones of one session
	Depth           int           // maximum depth of nested subagents
	AutoApproveTime time.Duration // default if a spawn request has none
}

// Budget has the limits at which sessions pause and ask. A limit of 0 or less means no limit.
type Budget struct {
	SessionMicros, SessionTokens int64 // of a session that is created without a budget
	SessionTime                  time.Duration

	DayMicros, DayTokens int64 // of all sessions together on one local day
	DayTime              time.Duration
}

// Worktree has the settings of git worktrees.
type Worktree struct {
	SetupCommands []string      // empty = none
	SetupTime     time.Duration // of all of them
	RetentionDays int           // 0 = unused worktrees stay
}
