package settings

import (
	"time"

	"betcode/messages"
)

// Settings are the settings of actors. They are complete: no value stands for a default. [Default] returns the settings without
// settings files.
type Settings struct {
	PermissionTTL time.Duration   // how long a permission request waits
	Extend        bool            // any activity of a client extends the deadlines of undecided requests
	Reminders     []time.Duration // ages at which people are reminded of an undecided request, at most two
	NotifyExec    []string        // a program and its arguments, run for each notification; empty = none

	NotifyWebhook       string     // URL to which notifications are posted; empty = none
	NotifyWebhookSecret string     // file with the key that signs them; empty = none
	NotifyNtfy          string     // URL of an ntfy topic; empty = none
	NotifyNtfyToken     string     // file with the token for the topic; empty = none
	QuietHours          QuietHours // notifications wait until their end

	MaxAgents     int   // how many agents may run at once
	MaxWaiting    int   // how many sessions may wait for a slot
	MinFreeMemory int64 // bytes of memory that must stay available when an agent starts; not positive = no such limit
	AgentMemory   int64 // bytes that an agent is expected to use
	MemoryMax     int64 // bytes that an agent may use, where that can be limited; not positive = no limit

	Silence     time.Duration // an agent without output for that long in a turn hangs
	ParkAfter   time.Duration // an agent that is idle for that long is ended
	WaitingHold time.Duration // how long an agent that waits for a person keeps its slot against other sessions

	SessionBytes     int64         // of events that one session may keep; not positive = no limit
	SessionAge       time.Duration // of an event that a session keeps; not positive = no limit
	CompactThreshold uint64        // a context of more tokens is compacted when its agent is idle; 0 = never

	SearchBytes int64 // of the search index; not positive = there is none

	SessionBudget messages.BudgetLimit // of sessions that are started without a budget of their own
	DayBudget     messages.BudgetLimit // of all sessions together, for each local day

	OnAlarm       OnAlarm  // the reaction to an agent that raises an alarm
	Fence         Fence    // of agents that are started from now on
	FenceWritable []string // additional paths that a fenced agent may write to: absolute, or ~/…

	GiveFleet bool // every agent that is started from now on has the fleet server

	Resume        messages.ResumePolicy // of interrupted turns, for sessions without a policy of their own
	Continuations uint32                // how often an interrupted turn is continued without a person
	ContinueGrace time.Duration         // how long a resumed agent may take to continue its turn

	Subagents       int           // how many subagents of a session may run at once
	SubagentDepth   int           // how many generations of subagents there may be
	AutoApproveTime time.Duration // of subagents whose spawn has no time of its own

	SetupCommands []string      // prepare new worktrees, run by the shell; empty = none
	SetupTime     time.Duration // how long the setup of a worktree may take

	WorktreeRetention time.Duration // worktrees that are not used for so long are removed; 0 = none are removed

	Rules []Rules // of the user, for every session
}

// QuietHours are the part of each local day in which no notification is delivered, in minutes after midnight. From is inclusive,
// To exclusive; the end may be on the next day. The zero value is no quiet hours.
type QuietHours struct{ From, To int }

// End returns the end of the quiet hours that include a time; false if none do.
func (q QuietHours) End(at time.Time) (time.Time, bool) {
	minute := at.Hour()*60 + at.Minute()
	holds, tomorrow := q.From <= minute && minute < q.To, false
	if q.From > q.To {
		holds, tomorrow = minute >= q.From || minute < q.To, minute >= q.From
	}
	if !holds {
		return time.Time{}, false
	}
	day := at.Day()
	if tomorrow {
		day++
	}
	return time.Date(at.Year(), at.Month(), day, q.To/60, q.To%60, 0, 0, at.Location()), true
}

// Default returns the settings without settings files.
func Default() Settings {
	return Settings{
		PermissionTTL: 7 * 24 * time.Hour, Extend: true, Reminders: []time.Duration{time.Hour, 24 * time.Hour},
		MaxAgents: 5, MaxWaiting: 50, MinFreeMemory: 128 << 20, AgentMemory: 300 << 20,
		Silence: 7 * time.Minute, ParkAfter: 10 * time.Minute, WaitingHold: 10 * time.Minute,
		SearchBytes: 2 << 30, OnAlarm: AlarmFreezes, Fence: FenceOff, Resume: messages.ResumeAuto, Continuations: 2, ContinueGrace: time.Minute,
		Subagents: 50, SubagentDepth: 3, AutoApproveTime: 30 * time.Minute, SetupTime: 10 * time.Minute,
	}
}

// OnAlarm is the reaction to an agent that raises an alarm.
type OnAlarm string

// The reactions. All of them notify people and write the audit log.
const (
	AlarmFreezes OnAlarm = "freeze" // the agent and its descendants are frozen until a person decides
	AlarmStops   OnAlarm = "stop"   // they are killed; a person starts the agent again
	AlarmTells   OnAlarm = "tell"   // nothing else
)

// Fence is the restriction of agents by the kernel.
type Fence string

// The fences.
const (
	FenceOff     Fence = "off"
	FenceProject Fence = "project" // an agent writes only to its project, and signals no process outside
)

// Rules are permission rules of one file, in the agent's own notation: "Bash(git *)", "Edit(src/**/*.ts)", "mcp__github__*".
type Rules struct {
	Allow, Ask, Deny []string
	Source           string         // for people: the path of the file
	Lines            map[string]int // line of each rule in the file, by list and rule: "deny WebFetch"; may be nil
}

// Changed reports that the settings have changed. The system sends it to pool, day, retention, search and sessions.
type Changed struct {
	Now   *Settings
	Rules *RulesChanged // nil if the rules are the same
}

// RulesChanged is the difference between the rules before and after a change.
type RulesChanged struct {
	Source  string   // the files that have rules now
	Widened []string // the changes that let agents do more, for people
}
