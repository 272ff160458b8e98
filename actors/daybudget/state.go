package daybudget

import (
	"slices"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
)

// state is the consumption of the day. Only step changes it.
type state struct {
	setting messages.BudgetLimit
	known   bool // the journal was read

	day    string
	begins time.Time
	ends   time.Time

	entries   map[messages.SessionID]messages.Spent // on this day, without stretches of work that are under way
	sum       messages.Spent                        // of entries
	working   map[messages.SessionID]time.Time      // starts of the stretches of work that are under way, on this day
	ahead     time.Duration                         // sum of the times from begins until each of these starts
	decisions map[messages.SessionID]decision       // on this day
	totals    map[messages.SessionID]total          // on all days, of sessions that are not deleted
	waiting   []messages.SessionID                  // sessions whose work waits, longest first
	reported  map[messages.SessionID]bool           // sessions that have reported; the journal has nothing newer
	asker     messages.SessionID

	allowed messages.BudgetLimit // in force
	refused bool
	near    bool // Near was sent
	reached bool // as announced
	asked   messages.SessionID
}

// Record is a session's part of the journal.
type Record struct {
	Session messages.SessionID
	Budget  messages.Budget
	Deleted bool
}

// Intervals: the actor compares the day with the clock, which may be set, and retries to read the journal.
const (
	lookPause = time.Minute
	readPause = 2 * time.Second
)

// newState returns the state of a day without any reports.
func newState(now time.Time, setting messages.BudgetLimit) state {
	s := state{setting: setting, allowed: setting, reported: map[messages.SessionID]bool{}, totals: map[messages.SessionID]total{}}
	s.begin(now, now.Format(time.DateOnly))
	return s
}

// begin starts a day, without consumption.
func (s *state) begin(now time.Time, day string) {
	s.day = day
	if date, err := time.ParseInLocation(time.DateOnly, day, now.Location()); err == nil {
		s.begins, s.ends = date, time.Date(date.Year(), date.Month(), date.Day()+1, 0, 0, 0, 0, now.Location())
	}
	s.entries, s.sum, s.ahead = map[messages.SessionID]messages.Spent{}, messages.Spent{}, 0
	s.decisions, s.near = map[messages.SessionID]decision{}, false
	for id, since := range s.working {
		s.work(id, since)
	}
	s.decide()
}

// roll starts the day of the clock, unless that is the day before.
func (s *state) roll(now time.Time) []act.Effect {
	today := now.Format(time.DateOnly)
	switch {
	case today == s.day, now.AddDate(0, 0, 1).Format(time.DateOnly) == s.day:
		return nil
	case today > s.day:
		s.begin(now, today)
		return nil
	}
	s.begin(now, today) // the clock was ahead; the journal has the consumption of this day
	s.known, s.reported = false, map[messages.SessionID]bool{}
	return []act.Effect{readJournal{}}
}

// step takes one message and returns what to do.
func (s *state) step(now time.Time, m any) []act.Effect {
	effects := s.roll(now)
	var reporter messages.SessionID
	switch m := m.(type) {
	case Report:
		reporter = m.Session
		s.reported[m.Session] = true
		s.take(m)
	case read:
		if m.err != nil {
			effects = append(effects, retryRead{m.err})
			break
		}
		s.learn(now, m.records)
		effects = append(effects, sendAgain{})
	case readAgain:
		effects = append(effects, readJournal{})
	case settings.Changed:
		s.setting = m.Now.DayBudget
	case due:
	}
	s.decide()
	return append(effects, s.notify(now, reporter)...)
}

// learn takes the journal's records of sessions that have not reported yet.
func (s *state) learn(now time.Time, records []Record) {
	if next := now.AddDate(0, 0, 1).Format(time.DateOnly); s.day != next &&
		slices.ContainsFunc(records, func(r Record) bool { return r.Budget.Day == next }) {
		s.begin(now, next) // it had begun for an earlier daemon
		s.reported = map[messages.SessionID]bool{}
	}
	s.known = true
	for _, r := range records {
		if !s.reported[r.Session] {
			s.take(Report{Session: r.Session, Budget: r.Budget, Deleted: r.Deleted})
			s.near = s.near || r.Budget.DayNear && r.Budget.Day == s.day
		}
	}
}

// take replaces the entry of one session.
func (s *state) take(m Report) {
	id, b := m.Session, m.Budget
	s.sum = s.sum.Minus(s.entries[id])
	delete(s.entries, id)
	if spent := b.OfDay(s.day); spent != (messages.Spent{}) {
		s.entries[id] = spent
		s.sum = s.sum.Plus(spent)
	}
	delete(s.totals, id)
	if t := (total{b.Now(b.WorkingSince), b.WorkingSince}); !m.Deleted && t != (total{}) {
		s.totals[id] = t
	}
	s.rest(id)
	if !m.Deleted && !b.WorkingSince.IsZero() {
		s.work(id, b.WorkingSince)
	}
	delete(s.decisions, id)
	if d := (decision{b.DayFrom, b.DayRaised, b.DayRefused, b.DayAsks && !m.Deleted}); b.Day == s.day && d != (decision{}) {
		s.decisions[id] = d
	}
	i := slices.Index(s.waiting, id)
	switch waits := m.Waits && !m.Deleted; {
	case waits && i < 0:
		s.waiting = append(s.waiting, id)
	case !waits && i >= 0:
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
}

// work records that a session works since a time.
func (s *state) work(id messages.SessionID, since time.Time) {
	if s.working == nil {
		s.working = map[messages.SessionID]time.Time{}
	}
	s.working[id] = since
	s.ahead += laterOf(since, s.begins).Sub(s.begins)
}

// rest records that a session does not work.
func (s *state) rest(id messages.SessionID) {
	if since, works := s.working[id]; works {
		s.ahead -= laterOf(since, s.begins).Sub(s.begins)
		delete(s.working, id)
	}
}

// notify returns the effects of a change.
func (s *state) notify(now time.Time, reporter messages.SessionID) []act.Effect {
	effects := []act.Effect{wakeAt{max(min(s.ends.Sub(now), lookPause), 0)}}
	if !s.known {
		return effects
	}
	level := s.allowed.Level(s.spent(now))
	reached := level == messages.BudgetReached
	if reached != s.reached || s.asker != s.asked {
		effects = append(effects, announce{reached != s.reached})
		s.reached, s.asked = reached, s.asker
	}
	switch {
	case level == messages.BudgetOK:
		s.near = false
	case level == messages.BudgetNear && !s.near && reporter != "":
		s.near = true
		effects = append(effects, sendNear{reporter, Near{s.view(now)}})
	}
	return effects
}
