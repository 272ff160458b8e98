package health

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// How the journal is tried.
const (
	checkEvery = 30 * time.Second // not more often than the API document wants
	checkSlow  = 2 * time.Second  // a caller waits no longer for the result
)

// JournalPatience is how long a write of the journal may take before it counts as failed.
const JournalPatience = 30 * time.Second

// highMemory is the share of the configured limit, in percent, above which health
// reports high memory use.
const highMemory = 80

// state is the health of the components. They report changes; only the journal, which may be silent for hours, is tried, when a
// caller asks and the last try is older than [checkEvery].
type state struct {
	journal error        // why the newest transaction was not written; nil once the journal works again
	trial   error        // why the newest try failed
	checked time.Time    // when either was reported
	trying  time.Time    // since when the journal is being tried; zero = no try is under way
	tried   time.Time    // when TryJournal was last sent
	waiting []*actor.PID // callers that wait for the result

	spools map[messages.SessionID]error // spools that cannot be read
	alarms alarms
	pool   Pool
	disk   Disk
	looked time.Time // when the disk last reported

	crashes crashCount
	state   error // why no run directory can be made
}

// Messages to health, besides those in the other files, and to the journal.
type (
	// Journal reports the result of the newest transaction of the journal.
	Journal struct{ Err error }
	// Spool reports whether the output file of a session's agent can be read; nil = it can.
	Spool struct {
		Session messages.SessionID
		Err     error
	}
	// TryJournal asks the journal whether it can be written. It answers with JournalTried.
	TryJournal struct{}
	// JournalTried answers TryJournal: the reason why the journal cannot be written, nil if it can.
	JournalTried struct{ Err error }
	// tryIsSlow is sent when callers should not wait any longer for the journal.
	tryIsSlow struct{}
)

// The effects of health.
type (
	try          struct{}                  // ask the journal to write something
	answerHealth struct{ to []*actor.PID } // answer with the view at the time of the answer
)

func (try) Effect()          {}
func (answerHealth) Effect() {}

// step takes one message and returns the next state and what to do.
func (s state) step(now time.Time, from *actor.PID, m any) (state, []act.Effect) {
	switch m := m.(type) {
	case Journal:
		s.journal, s.trial, s.checked = m.Err, nil, now
	case JournalTried:
		s.trial, s.checked, s.trying = m.Err, now, time.Time{}
		return s.answer()
	case tryIsSlow:
		return s.answer()
	case Disk:
		s.disk, s.looked = m, now
	case Pool:
		s.pool = m
	case Spool:
		s.spools = maps.Clone(s.spools)
		if delete(s.spools, m.Session); m.Err != nil {
			if s.spools == nil {
				s.spools = map[messages.SessionID]error{}
			}
			s.spools[m.Session] = m.Err
		}
	case StateDirectory:
		s.state = m.Err
	case AgentCrashed:
		s.crashes = s.crashes.add(now, m.Session)
	case Frozen:
		s.alarms.frozen = with(s.alarms.frozen, m.Session, m.On)
	case Fenced:
		s.alarms.fenced = with(s.alarms.fenced, m.Session, m.On)
	case messages.GetHealth:
		return s.asked(now, from)
	}
	return s, nil
}

// asked answers at once if the journal was tried lately. Otherwise it has the journal tried first.
func (s state) asked(now time.Time, from *actor.PID) (state, []act.Effect) {
	var effects []act.Effect
	idle := s.trying.IsZero()
	if s.journal == nil && (idle && now.Sub(s.checked) >= checkEvery || !idle && now.Sub(s.tried) >= JournalPatience) {
		s.tried = now // a try may have been lost in a crash of the journal's actor
		effects = append(effects, try{})
		if idle {
			s.trying = now
			effects = append(effects, act.After{Delay: checkSlow, Message: tryIsSlow{}})
		}
	}
	if s.journal == nil && !s.trying.IsZero() && now.Sub(s.trying) < checkSlow {
		s.waiting = append(slices.Clip(s.waiting), from)
		return s, effects
	}
	return s, append(effects, answerHealth{[]*actor.PID{from}})
}

func (s state) answer() (state, []act.Effect) {
	if len(s.waiting) == 0 {
		return s, nil
	}
	to := s.waiting
	s.waiting = nil
	return s, []act.Effect{answerHealth{to}}
}

// components returns the lines of the report.
func (s state) components(now time.Time, memory, limit int64) []messages.ComponentHealth {
	all := []messages.ComponentHealth{s.pool.view(now), s.store(now), s.disk.view(s.looked)}
	if len(s.spools) > 0 {
		all = append(all, s.unreadable(now))
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

// store returns the journal's line, under the name in the API document.
func (s state) store(now time.Time) messages.ComponentHealth {
	c := messages.ComponentHealth{Name: "sqlite", Serving: true, Critical: true, Checked: s.checked}
	err := s.journal
	if err == nil {
		err = s.trial
	}
	if waits := now.Sub(s.trying); err == nil && !s.trying.IsZero() && waits >= JournalPatience {
		err = fmt.Errorf("a write is not done after %s", waits.Round(time.Second))
	}
	if err != nil {
		c.Serving, c.Message, c.Reason = false, err.Error(), "Journal cannot be written"
		c.Impact = "Nothing new is accepted, and what agents say is shown but not kept"
	}
	return c
}

// unreadable returns the line of the spools that cannot be read.
func (s state) unreadable(now time.Time) messages.ComponentHealth {
	ids := slices.Sorted(maps.Keys(s.spools))
	return messages.ComponentHealth{
		Name: "spools", Checked: now, State: "output_unreadable",
		Message: fmt.Sprintf("%d cannot be read, %s among them: %v", len(ids), ids[0], s.spools[ids[0]]),
		Reason:  "What some agents say cannot be read from the disk", Impact: "It is shown when it can be read; nothing is lost",
	}
}

// Pool reports the use of the pool.
type Pool struct {
	Used, Limit    int  // slots
	Waiting, Queue int  // sessions that wait for a slot, and the most that may
	Stopped        bool // the fleet is stopped: no slot is granted

	LimitedUntil time.Time // when the last limit of an account ends; zero = there is none
	LowMemory    bool      // sessions wait until more memory is available
}

// view returns the line of the pool. Sessions that wait degrade the daemon; the pool is not
// serving when the queue is full as well.
func (p Pool) view(now time.Time) messages.ComponentHealth {
	c := messages.ComponentHealth{
		Name: "subprocess_pool", Serving: p.Used < p.Limit || p.Waiting < p.Queue, Checked: now,
		Message: fmt.Sprintf("%d/%d slots used", p.Used, p.Limit),
	}
	if p.Waiting > 0 {
		c.Message += fmt.Sprintf(", %d waiting", p.Waiting)
		c.State, c.Reason, c.Impact = "subprocess_pool_full", "All subprocess slots in use", "New sessions queued"
	}
	if !c.Serving {
		c.State, c.Reason, c.Impact = "subprocess_pool_full", "All subprocess slots in use", "New sessions are refused, for the queue is full"
	}
	if p.LowMemory {
		c.State, c.Reason, c.Impact = "memory_low", "Too little memory is available for another agent", "New sessions wait until there is more"
	}
	if !p.LimitedUntil.IsZero() {
		until := p.LimitedUntil.UTC().Format(time.RFC3339)
		c.Message += ", rate limited until " + until
		c.State, c.Reason, c.Impact = "rate_limited", "An account is rate limited", "Its new turns start after "+until+", or after 'betcode fleet resume'"
	}
	if p.Stopped {
		c.State, c.Reason, c.Impact = "fleet_stopped", "A client has stopped the fleet", "No agent starts until 'betcode fleet resume'"
	}
	return c
}

// memoryView returns the line of the daemon's own memory. It needs a limit.
func memoryView(now time.Time, used, limit int64) messages.ComponentHealth {
	c := messages.ComponentHealth{
		Name: "memory", Serving: used <= limit/100*highMemory, Checked: now,
		Message: fmt.Sprintf("%s of %s", Size(used), Size(limit)),
	}
	if !c.Serving {
		c.State, c.Reason, c.Impact = "high_memory", "Memory usage > 80%", "Work goes on, slower if the system has to swap"
	}
	return c
}
