package config

import (
	"fmt"
	"time"
)

// LogLevels are the levels a daemon may log at, loudest last.
var LogLevels = []string{"error", "warn", "info", "debug", "trace"}

// ResumePolicies say what follows when a turn is cut off: it is continued, it waits
// for a person, or it is over.
var ResumePolicies = []string{"auto", "ask", "never"}

// SelfApprovalReactions say what becomes of an agent that approved itself.
var SelfApprovalReactions = []string{"freeze", "stop", "tell"}

// Fences say what the kernel holds agents to: nothing, or to write to their project only.
var Fences = []string{"off", "project"}

// Daemon is how a daemon shall run: [Settings] as its parts are told. All paths are
// absolute, all sizes bytes. The table says what each means.
type Daemon struct {
	ConfigDir   string
	StateDir    string
	SocketPath  string
	LogLevel    string
	LogFile     string // empty = standard error
	Log         Log
	ClaudePath  string
	Model       string // empty = the agent's own
	MaxAgents   int
	MaxWaiting  int
	MaxPayload  int
	MemoryLimit int64 // 0 = no limit
	KeepAgents  bool

	AgentEnvironment AgentEnvironment

	OnSelfApproval string   // one of SelfApprovalReactions
	Fence          string   // one of Fences
	FenceWritable  []string // absolute, or ~/…

	AgentSilence time.Duration
	ParkAfter    time.Duration
	WaitingHold  time.Duration
	LockGrace    time.Duration

	PermissionTTL, MinTTL, MaxTTL time.Duration
	ExtendOnActivity              bool
	Reminders                     []time.Duration // none, one or two
	NotifyExec                    []string        // empty = none

	Resume Resume
	Past   Past
	Disk   Disk
	Backup Backup
	Audit  Audit
	TCP    TCP
	Limits Limits
	GitLab GitLab
}

// GitLab is which one is asked, and where the token for it is kept.
type GitLab struct {
	URL       string // empty = the public one
	TokenFile string // empty = in the environment
}

// Limits are how many requests are taken of one caller.
type Limits struct {
	PerSecond int // 0 = any number
	Burst     int
}

// Log is how large the log may be.
type Log struct {
	Bytes int64 // of one file; -1 = without limit
	Files int
}

// Audit is how much of the audit log is kept. A limit that is "off" is -1.
type Audit struct {
	Age   time.Duration // of an entry
	Bytes int64         // all of it
}

// Resume is what follows when a turn is cut off.
type Resume struct {
	Policy string // one of ResumePolicies
	Times  int    // how often a turn is continued by itself
	Grace  time.Duration
}

// Past says how much of what sessions said is kept, and how much agents have to
// read of it again. A limit that is "off" is -1.
type Past struct {
	AutoCompact      bool
	CompactThreshold uint64 // see [Past.Threshold]

	Bytes        int64         // of the journal's sealed files together
	Age          time.Duration // since a file was sealed
	SessionBytes int64         // of the events of one session
	SessionAge   time.Duration // of an event
}

// Threshold is the context, in tokens, above which it is compacted; 0 = never.
func (p Past) Threshold() uint64 {
	if !p.AutoCompact {
		return 0
	}
	return p.CompactThreshold
}

// Backup is when the daemon copies its journal by itself.
type Backup struct {
	Every time.Duration // -1 = never
	Keep  int           // how many copies are kept
}

// Disk is how much of the disk the daemon may fill.
type Disk struct {
	ArchiveBytes int64         // of the record of what agents wrote
	ArchiveAge   time.Duration // of the same
	SpoolQuota   int64         // an agent that is so far ahead of the journal is held
	Low          int64         // with less room the disk counts as full; 0 = by the size of the filesystem
}

// Daemon hands the values out to where the daemon's parts look for them.
func (s Settings) Daemon() Daemon {
	d := Daemon{ConfigDir: s.ConfigDir}
	for _, v := range s.Values {
		if v.into != nil && v.Value != nil {
			assign(v.into(&d), v.Value)
		}
	}
	return d
}

// assign puts a value into a field; TestTable shows that they fit.
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
