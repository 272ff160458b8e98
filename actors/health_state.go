package actors

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/messages"
)

// How the journal is checked: not more often than the API document wants, and how
// long who asks waits for it, and how long it may take at all.
const (
	journalCheckEvery  = 30 * time.Second
	journalCheckSlow   = 2 * time.Second
	journalCheckFailed = 30 * time.Second
)

// highMemory is the share of the configured limit, in percent, from which on the
// daemon says that it uses much.
const highMemory = 80

// healthState is how the components are. Most of it is told when it changes; the
// journal, which may be silent for hours, is tried when somebody asks and the last
// try is older than [journalCheckEvery]. An idle daemon that nobody asks checks
// nothing.
type healthState struct {
	journal error     // why the newest transaction was not written; it tells when it can write again
	trial   error     // why the newest try failed
	checked time.Time // when either was found out
	trying  time.Time // since when the journal is being tried; zero: it is not
	tried   time.Time // when it was last told to
	waiting []*actor.PID

	spools map[messages.SessionID]error // that cannot be read
	alarms alarmHealth
	pool   poolHealth
	disk   diskHealth
	looked time.Time // at the disk

	crashes crashCount
	state   error // why no run directory can be made
}

// What health is told, besides poolHealth and diskHealth.
type (
	// journalHealth says how the newest transaction went.
	journalHealth struct{ err error }
	// spoolHealth says whether what the agent of a session wrote can be read.
	spoolHealth struct {
		session messages.SessionID
		err     error
	}
	// journalTried answers tryJournal.
	journalTried struct{ err error }
	// tryIsSlow says that nobody is to wait any longer.
	tryIsSlow struct{}
)

// The effects of health: have the journal write something; answer with the view of
// that moment.
type (
	tryTheJournal struct{}
	answerHealth  struct{ to []*actor.PID }
)

func (tryTheJournal) effect() {}
func (answerHealth) effect()  {}

// step takes one message and returns the next state and what to do.
func (s healthState) step(now time.Time, from *actor.PID, m any) (healthState, []effect) {
	switch m := m.(type) {
	case journalHealth:
		s.journal, s.trial, s.checked = m.err, nil, now
	case journalTried:
		s.trial, s.checked, s.trying = m.err, now, time.Time{}
		return s.answer()
	case tryIsSlow:
		return s.answer()
	case diskHealth:
		s.disk, s.looked = m, now
	case poolHealth:
		s.pool = m
	case spoolHealth:
		s.spools = maps.Clone(s.spools)
		if delete(s.spools, m.session); m.err != nil {
			if s.spools == nil {
				s.spools = map[messages.SessionID]error{}
			}
			s.spools[m.session] = m.err
		}
	case stateHealth:
		s.state = m.err
	case agentCrashed:
		s.crashes = s.crashes.add(now, m.session)
	case frozenHealth:
		s.alarms.frozen = with(s.alarms.frozen, m.session, m.on)
	case fencedHealth:
		s.alarms.fenced = with(s.alarms.fenced, m.session, m.on)
	case messages.GetHealth:
		return s.asked(now, from)
	}
	return s, nil
}

// asked answers at once what is known well enough, and has the journal tried if it
// is not.
func (s healthState) asked(now time.Time, from *actor.PID) (healthState, []effect) {
	var effects []effect
	idle := s.trying.IsZero()
	if s.journal == nil && (idle && now.Sub(s.checked) >= journalCheckEvery || !idle && now.Sub(s.tried) >= journalCheckFailed) {
		s.tried = now // again, since a try may be lost in a crash of the journal's actor
		effects = append(effects, tryTheJournal{})
		if idle {
			s.trying = now
			effects = append(effects, wakeAfter{journalCheckSlow, tryIsSlow{}})
		}
	}
	if s.journal == nil && !s.trying.IsZero() && now.Sub(s.trying) < journalCheckSlow {
		s.waiting = append(slices.Clip(s.waiting), from)
		return s, effects
	}
	return s, append(effects, answerHealth{[]*actor.PID{from}})
}

func (s healthState) answer() (healthState, []effect) {
	if len(s.waiting) == 0 {
		return s, nil
	}
	to := s.waiting
	s.waiting = nil
	return s, []effect{answerHealth{to}}
}

// components are the lines of the report, in the order of their names' table.
func (s healthState) components(now time.Time, memory, limit int64) []messages.ComponentHealth {
	all := []messages.ComponentHealth{s.pool.view(now), s.store(now), s.disk.view(s.looked)}
	if len(s.spools) > 0 {
		all = append(all, s.unread(now))
	}
	if s.state != nil {
		all = append(all, stateView(now, s.state))
	}
	if c, crashed := s.crashes.view(now); crashed {
		all = append(all, c)
	}
	if len(s.alarms.frozen) > 0 {
		all = append(all, s.alarms.view(now))
	}
	if limit > 0 {
		all = append(all, memoryView(now, memory, limit))
	}
	return all
}

// store is the journal's line, under the name that the API document has for it.
func (s healthState) store(now time.Time) messages.ComponentHealth {
	c := messages.ComponentHealth{Name: "sqlite", Serving: true, Critical: true, Checked: s.checked}
	err := s.journal
	if err == nil {
		err = s.trial
	}
	if waits := now.Sub(s.trying); err == nil && !s.trying.IsZero() && waits >= journalCheckFailed {
		err = fmt.Errorf("a write is not done after %s", waits.Round(time.Second))
	}
	if err != nil {
		c.Serving, c.Message, c.Reason = false, err.Error(), "Journal cannot be written"
		c.Impact = "Nothing new is accepted, and what agents say is shown but not kept"
	}
	return c
}

// unread is the line of the spools that cannot be read, where there are any.
func (s healthState) unread(now time.Time) messages.ComponentHealth {
	ids := slices.Sorted(maps.Keys(s.spools))
	return messages.ComponentHealth{
		Name: "spools", Checked: now, State: "output_unreadable",
		Message: fmt.Sprintf("%d cannot be read, %s among them: %v", len(ids), ids[0], s.spools[ids[0]]),
		Reason:  "What some agents say cannot be read from the disk", Impact: "It is shown when it can be read; nothing is lost",
	}
}

// view is the pool's line. Sessions that wait degrade the daemon; a queue that is
// full as well is what the pool calls not serving.
func (p poolHealth) view(now time.Time) messages.ComponentHealth {
	c := messages.ComponentHealth{
		Name: "subprocess_pool", Serving: p.used < p.limit || p.waiting < p.queue, Checked: now,
		Message: fmt.Sprintf("%d/%d slots used", p.used, p.limit),
	}
	if p.waiting > 0 {
		c.Message += fmt.Sprintf(", %d waiting", p.waiting)
		c.State, c.Reason, c.Impact = "subprocess_pool_full", "All subprocess slots in use", "New sessions queued"
	}
	if !c.Serving {
		c.State, c.Reason, c.Impact = "subprocess_pool_full", "All subprocess slots in use", "New sessions are refused, for the queue is full"
	}
	return c
}

// memoryView is the line of the daemon's own memory, where a limit was set.
func memoryView(now time.Time, used, limit int64) messages.ComponentHealth {
	c := messages.ComponentHealth{
		Name: "memory", Serving: used <= limit/100*highMemory, Checked: now,
		Message: fmt.Sprintf("%s of %s", size(used), size(limit)),
	}
	if !c.Serving {
		c.State, c.Reason, c.Impact = "high_memory", "Memory usage > 80%", "Work goes on, slower if the system has to swap"
	}
	return c
}
