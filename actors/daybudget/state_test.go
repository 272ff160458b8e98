package daybudget

import (
	"errors"
	"math"
	"testing"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
)

// zone is two hours before UTC: its days do not begin with those of UTC.
var zone = time.FixedZone("zone", 2*60*60)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, zone)

const today, tomorrow = "2026-11-24", "2026-11-25"

// world is the state of a day under test.
type world struct {
	state

	now     time.Time
	effects []act.Effect
}

// newWorld has a budget of one dollar, and has read a journal with these records.
func newWorld(records ...Record) *world {
	w := &world{now: noon, state: newState(noon, messages.BudgetLimit{Micros: 1_000_000})}
	w.send(read{records: records})
	return w
}

func (w *world) send(m any) { w.effects = w.step(w.now, m) }

// spent reports what a session has consumed today.
func (w *world) spends(id messages.SessionID, micros uint64, waits bool) {
	w.send(Report{Session: id, Budget: consumed(w.day, micros), Waits: waits})
}

func consumed(day string, micros uint64) messages.Budget {
	base := messages.Spent{Micros: 5_000_000}
	return messages.Budget{Day: day, DayBase: base, Spent: base.Plus(messages.Spent{Micros: micros})}
}

// announced reports whether the newest step was sent to all sessions.
func (w *world) announced() bool {
	for _, e := range w.effects {
		if _, ok := e.(announce); ok {
			return true
		}
	}
	return false
}

func (w *world) reached(id messages.SessionID, own uint64) bool {
	return w.standing(id, w.now).Reached(messages.Spent{Micros: own})
}

// Until the journal was read no turn begins. Its records count, also those of deleted sessions; another day does not.
func TestJournalIsRead(t *testing.T) {
	w := &world{now: noon, state: newState(noon, messages.BudgetLimit{Micros: 1_000_000})}
	if !w.standing("a", noon).Unsure() {
		t.Error("turns begin before the journal was read")
	}
	w.send(read{err: errors.New("broken")})
	if _, again := w.effects[0].(retryRead); !again || !w.standing("a", noon).Unsure() {
		t.Errorf("%+v", w.effects)
	}
	w.spends("b", 300_000, false) // newer than the journal's record
	w.send(read{records: []Record{
		{Session: "a", Budget: consumed(today, 400_000)},
		{Session: "b", Budget: consumed(today, 100_000)},
		{Session: "c", Budget: consumed("2026-11-23", 9_000_000)},
		{Session: "d", Budget: consumed(today, 50_000), Deleted: true},
	}})
	if v := w.view(noon); !v.Known || v.Spent.Micros != 750_000 || w.standing("a", noon).Others.Micros != 350_000 {
		t.Errorf("%+v", v)
	}
}

// The first session whose work waits asks. When its work no longer waits, the next one does.
func TestOneSessionAsks(t *testing.T) {
	w := newWorld()
	w.spends("a", 600_000, false)
	w.spends("b", 600_000, true)
	if !w.announced() || !w.standing("b", noon).Asks || !w.reached("c", 0) {
		t.Fatalf("%+v", w.standing("b", noon))
	}
	w.spends("a", 600_000, true)
	if w.standing("a", noon).Asks {
		t.Error("two sessions ask")
	}
	b := consumed(today, 600_000)
	b.DayAsks = true
	w.send(Report{Session: "b", Budget: b, Waits: true})
	if v := w.view(noon); v.Asker != "b" || v.Waiting != 2 {
		t.Errorf("%+v", v)
	}
	w.send(Report{Session: "b", Budget: b, Deleted: true})
	if v := w.view(noon); !w.announced() || !w.standing("a", noon).Asks || v.Waiting != 1 || v.Spent.Micros != 1_200_000 {
		t.Errorf("%+v", v)
	}
}

// The session that asked before a crash is found in the journal, so no other session asks.
func TestAskerSurvives(t *testing.T) {
	b := consumed(today, 1_100_000)
	b.DayAsks = true
	w := newWorld(Record{Session: "z", Budget: b})
	w.spends("a", 0, true)
	if w.standing("a", noon).Asks || !w.standing("z", noon).Asks || w.view(noon).Asker != "z" {
		t.Errorf("%+v", w.view(noon))
	}
}

// A raise is effective for the day, and as long as the settings have the limit that was raised. A refusal is effective for the limit that was not.
func TestDecisions(t *testing.T) {
	w := newWorld()
	w.spends("a", 1_100_000, true)
	b := consumed(today, 1_100_000)
	b.DayFrom, b.DayRaised = messages.BudgetLimit{Micros: 1_000_000}, messages.BudgetLimit{Micros: 2_000_000}
	w.send(Report{Session: "a", Budget: b})
	if !w.announced() || w.reached("b", 0) || w.view(noon).Limit.Micros != 2_000_000 {
		t.Fatalf("%+v", w.view(noon))
	}
	w.send(settings.Changed{Now: &settings.Settings{DayBudget: messages.BudgetLimit{Micros: 500_000}}})
	if !w.announced() || !w.reached("b", 0) {
		t.Error("a lower limit is not in force")
	}
	w.send(settings.Changed{Now: &settings.Settings{DayBudget: messages.BudgetLimit{Micros: 1_000_000}}})
	if w.reached("b", 0) {
		t.Error("the raise is forgotten")
	}
	w.spends("b", 1_000_000, true)
	refused := consumed(today, 1_000_000)
	refused.DayRefused = messages.BudgetLimit{Micros: 2_000_000}
	w.send(Report{Session: "b", Budget: refused, Waits: true})
	if s := w.standing("b", noon); !s.Refused || s.Asks || !w.view(noon).Refused {
		t.Errorf("refused: %+v", s)
	}
	w.send(settings.Changed{Now: &settings.Settings{DayBudget: messages.BudgetLimit{Micros: 1_500_000}}})
	if s := w.standing("b", noon); s.Refused || !s.Asks {
		t.Errorf("with another limit: %+v", s)
	}
	w.send(settings.Changed{Now: &settings.Settings{}})
	if w.reached("b", math.MaxUint64) {
		t.Error("without a limit it is reached")
	}
}

// The next day begins at local midnight without consumption, and sessions get Changed. Running work counts from there.
func TestMidnight(t *testing.T) {
	w := newWorld()
	w.send(settings.Changed{Now: &settings.Settings{DayBudget: messages.BudgetLimit{Work: 11 * time.Hour}}})
	working := consumed(today, 1)
	working.WorkingSince = noon.Add(-13 * time.Hour) // since yesterday
	w.send(Report{Session: "a", Budget: working})
	w.send(Report{Session: "b", Budget: consumed(today, 1), Waits: true})
	if got := w.view(noon).Spent.Work; got != 12*time.Hour {
		t.Errorf("worked %s", got)
	}
	if got := w.standing("a", noon); got.Others.Work != 0 || got.Own(working, noon).Work != 12*time.Hour {
		t.Errorf("%+v", got)
	}
	w.now = time.Date(2026, 11, 25, 0, 0, 0, 0, zone).Add(-time.Nanosecond)
	w.send(due{})
	if w.day != today || w.announced() {
		t.Error("the day ended early")
	}
	w.now = w.now.Add(time.Minute)
	w.send(due{})
	if w.day != tomorrow || !w.announced() || w.reached("b", 0) {
		t.Errorf("%s, %+v", w.day, w.effects)
	}
	if got := w.view(w.now).Spent; got.Work != time.Minute-time.Nanosecond || got.Micros != 0 {
		t.Errorf("%+v", got)
	}
}

// A date that goes back by a day, as in another time zone, does not begin a day again, nor does the next daemon.
func TestDateGoesBack(t *testing.T) {
	w := newWorld()
	w.spends("a", 1_100_000, true)
	w.now = noon.In(time.FixedZone("west", -14*60*60)) // the day before, there
	w.send(due{})
	if w.day != today || !w.reached("b", 0) {
		t.Errorf("it is %s", w.day)
	}
	next := &world{now: w.now, state: newState(w.now, messages.BudgetLimit{Micros: 1_000_000})}
	next.send(read{records: []Record{{Session: "a", Budget: consumed(today, 1_100_000)}}})
	if next.day != today || !next.reached("b", 0) {
		t.Errorf("for the next daemon it is %s", next.day)
	}
}

// A clock that was years ahead does not keep the present day from counting.
func TestClockWasAhead(t *testing.T) {
	w := newWorld()
	w.now = noon.AddDate(70, 0, 0)
	w.spends("a", 1_100_000, true)
	w.now = noon
	w.send(due{})
	if w.day != today || !w.standing("b", noon).Unsure() {
		t.Fatalf("it is %s", w.day)
	}
	w.send(read{records: []Record{{Session: "b", Budget: consumed(today, 400_000)}, {Session: "a", Budget: consumed("2096-11-24", 9)}}})
	if got := w.view(noon).Spent.Micros; got != 400_000 {
		t.Errorf("%d", got)
	}
}

// The total of a session is that of all days, with the work that is under way.
func TestTotal(t *testing.T) {
	l := NewLedger(noon, messages.BudgetLimit{})
	if _, known := l.Total("a", noon); known {
		t.Error("it is known before the journal was read")
	}
	b := consumed("2026-11-01", 7)
	b.WorkingSince = noon
	b.TurnWork = time.Minute
	l.state.step(noon, read{records: []Record{{Session: "a", Budget: b}, {Session: "b", Budget: b, Deleted: true}}})
	if got, known := l.Total("a", noon.Add(time.Hour)); !known || got.Micros != 5_000_007 || got.Work != 61*time.Minute {
		t.Errorf("%+v", got)
	}
	if got, _ := l.Total("b", noon); got != (messages.Spent{}) {
		t.Errorf("%+v", got)
	}
}

// People learn once that most is used, from the session whose report shows it.
func TestNear(t *testing.T) {
	w := newWorld()
	near := func() (ids []messages.SessionID) {
		for _, e := range w.effects {
			if n, ok := e.(sendNear); ok {
				ids = append(ids, n.session)
			}
		}
		return ids
	}
	w.spends("a", 500_000, false)
	w.spends("b", 300_000, false)
	if got := near(); len(got) != 1 || got[0] != "b" {
		t.Errorf("%v", got)
	}
	w.spends("c", 100_000, false)
	if got := near(); len(got) != 0 {
		t.Errorf("again: %v", got)
	}
	b := consumed(today, 850_000)
	b.DayNear = true
	w = newWorld(Record{Session: "b", Budget: b})
	w.spends("c", 1, false)
	if got := near(); len(got) != 0 {
		t.Errorf("after a restart: %v", got)
	}
}
