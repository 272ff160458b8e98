package actors

import (
	"cmp"
	"time"

	"betcode/messages"
)

// Live is the part of [Options] that may change while the system runs; see there
// what each means. What is zero has the default.
type Live struct {
	PermissionTTL    time.Duration
	FixedTTL         bool
	Reminders        []time.Duration
	NotifyExec       []string
	MaxAgents        int
	MaxWaiting       int
	Silence          time.Duration
	ParkAfter        time.Duration
	SessionBytes     int64
	SessionAge       time.Duration
	CompactThreshold uint64
	Resume           messages.ResumePolicy
	Continuations    int
	ContinueGrace    time.Duration
}

// live is what of the options may change.
func (o *Options) live() Live {
	return Live{
		PermissionTTL: o.PermissionTTL, FixedTTL: o.FixedTTL, Reminders: o.Reminders, NotifyExec: o.NotifyExec,
		MaxAgents: o.MaxAgents, MaxWaiting: o.MaxWaiting, Silence: o.Silence, ParkAfter: o.ParkAfter,
		SessionBytes: o.SessionBytes, SessionAge: o.SessionAge, CompactThreshold: o.CompactThreshold,
		Resume: o.Resume, Continuations: o.Continuations, ContinueGrace: o.ContinueGrace,
	}
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
	l.Resume = cmp.Or(l.Resume, messages.ResumeAuto)
	l.Continuations = max(cmp.Or(l.Continuations, 2), 0)
	l.ContinueGrace = cmp.Or(l.ContinueGrace, time.Minute)
	return &l
}

// Change replaces what may change, for everything that is decided from now on: a
// timer that runs goes on, a request that waits keeps its reminders.
func (s *System) Change(l Live) {
	s.live.Store(l.complete())
	now := s.live.Load()
	s.actors.Root.Send(s.pool, poolLimits{now.MaxAgents, now.MaxWaiting})
	s.actors.Root.Send(s.below("retention"), limitsChanged{})
}

// TellSettings says how the settings are, for the health report.
func (s *System) TellSettings(c messages.ComponentHealth) { s.settings.Store(&c) }

// sessionOptions is what every session is told.
func (s *System) sessionOptions() sessionOptions {
	live := s.live.Load()
	return sessionOptions{
		lineage: s.options.Store.Lineage(), runs: s.options.RunsDirectory, program: s.options.Program,
		rules: &s.rules, ownRules: s.options.Directories != nil, home: s.options.Home, restarts: s.options.AgentRestart,
		versions: s.versions, stops: s.stops, keeps: s.options.Keeps,
	}.with(live)
}

// with is the options with what may change.
func (o sessionOptions) with(l *Live) sessionOptions {
	o.permissionTTL, o.extend, o.parkAfter, o.silence = l.PermissionTTL, !l.FixedTTL, l.ParkAfter, l.Silence
	o.compactThreshold, o.resume, o.continuations, o.continuationGrace = l.CompactThreshold, l.Resume, uint32(l.Continuations), l.ContinueGrace
	return o
}
