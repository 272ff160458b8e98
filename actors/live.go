package actors

import (
	"cmp"
	"time"

	"betcode/actors/retention"
	"betcode/actors/session"
	"betcode/messages"
)

// Live is the part of [Options] that may change while the system runs.
type Live struct {
	PermissionTTL time.Duration   // how long a permission request waits; 0 = 7 days
	FixedTTL      bool            // the activity of clients does not extend it
	Reminders     []time.Duration // after which an undecided request is spoken of again, at most two; nil = 1 h and 24 h
	NotifyExec    []string        // a program and its arguments, started for each reminder; empty = none

	MaxAgents  int           // how many agents may run at once; 0 = 5
	MaxWaiting int           // how many sessions may wait for a slot; 0 = 50
	Silence    time.Duration // an agent that says nothing that long in the middle of a turn hangs; 0 = 7 minutes
	ParkAfter  time.Duration // an agent that has nothing to do that long is ended; 0 = 10 minutes
	// WaitingHold is how long an agent that waits for a person keeps its slot when other sessions want it; 0 = 10 minutes.
	WaitingHold time.Duration

	SessionBytes     int64         // of events that one session may keep; not positive = any number
	SessionAge       time.Duration // of an event that a session keeps; not positive = any age
	CompactThreshold uint64        // a context of more tokens is compacted when its agent rests; 0 = never

	OnAlarm session.OnAlarm // what becomes of an agent that approved itself; empty = freeze

	Fence         session.Fence // of agents that are started from now on; empty = off
	FenceWritable []string      // what else a fenced agent may write to: absolute, or ~/…

	// What follows when a turn was cut off.

	Resume        messages.ResumePolicy // where the session has no policy of its own; empty = auto
	Continuations int                   // how often a turn is continued by itself; 0 = 2, less = never
	ContinueGrace time.Duration         // how long a resumed agent may take to go on by itself; 0 = 1 minute
}

// complete fills the defaults in.
func (l Live) complete() *Live {
	l.PermissionTTL = cmp.Or(l.PermissionTTL, 7*24*time.Hour)
	if l.Reminders == nil {
		l.Reminders = []time.Duration{time.Hour, 24 * time.Hour}
	}
	l.Reminders = l.Reminders[:min(len(l.Reminders), 2)]
	l.MaxAgents = cmp.Or(l.MaxAgents, 5)
	l.MaxWaiting = cmp.Or(l.MaxWaiting, 50)
	l.Silence = cmp.Or(l.Silence, 7*time.Minute)
	l.ParkAfter = cmp.Or(l.ParkAfter, 10*time.Minute)
	l.WaitingHold = cmp.Or(l.WaitingHold, 10*time.Minute)
	l.OnAlarm = cmp.Or(l.OnAlarm, session.AlarmFreezes)
	l.Resume = cmp.Or(l.Resume, messages.ResumeAuto)
	l.Continuations = max(cmp.Or(l.Continuations, 2), 0)
	l.ContinueGrace = cmp.Or(l.ContinueGrace, time.Minute)
	return &l
}

// Change replaces what may change, for everything that is decided from now on: a
// timer that runs goes on, a request that waits keeps its reminders.
func (s *System) Change(l Live) {
	now := l.complete()
	s.live.Store(now)
	s.sessionSettings.Store(s.sessionOptions(now))
	s.actors.Root.Send(s.pool, now.poolLimits())
	s.actors.Root.Send(s.below("retention"), retention.LimitsChanged{})
}

// sessionOptions is what every session is told.
func (s *System) sessionOptions(l *Live) *session.Options {
	return &session.Options{
		Lineage: s.options.Store.Lineage(), Runs: s.options.RunsDirectory, Program: s.options.Program, OwnRules: s.options.Directories != nil,
		Home: s.options.Home, Protected: s.protected, Restarts: s.options.AgentRestart, Keeps: s.options.Keeps, LockGrace: s.options.LockGrace,
		PermissionTTL: l.PermissionTTL, Extend: !l.FixedTTL, ParkAfter: l.ParkAfter, Silence: l.Silence, WaitingHold: l.WaitingHold,
		OnAlarm: l.OnAlarm, Fence: l.Fence, CompactThreshold: l.CompactThreshold,
		Resume: l.Resume, Continuations: uint32(l.Continuations), ContinuationGrace: l.ContinueGrace,
	}
}
