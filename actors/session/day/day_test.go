package day

import (
	"testing"
	"time"

	"betcode/actors/daybudget"
	"betcode/messages"
)

const today = "2026-05-04"

var (
	noon  = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	limit = messages.BudgetLimit{Micros: 1_000_000}
)

func known(others uint64) Day {
	var d Day
	d.Begin(daybudget.Standing{Known: true, Day: today, Setting: limit, Limit: limit, Others: messages.Spent{Micros: others}}, noon)
	return d
}

func spent(micros uint64) messages.Budget {
	return messages.Budget{Day: today, Spent: messages.Spent{Micros: micros}}
}

func TestUsed(t *testing.T) {
	for name, test := range map[string]struct {
		others, own uint64
		used        bool
	}{"by others": {1_000_000, 0, true}, "together": {600_000, 400_000, true}, "not yet": {600_000, 300_000, false}} {
		d := known(test.others)
		if got := d.Used(spent(test.own)); got != test.used || d.Spent(spent(test.own)).Micros != test.others+test.own {
			t.Errorf("%s: used %v, spent %+v", name, got, d.Spent(spent(test.own)))
		}
		if d.Known = false; d.Used(spent(test.own)) {
			t.Errorf("%s: it is not known yet", name)
		}
	}
}

func TestReport(t *testing.T) {
	d := known(0)
	if _, news := d.Report("s", messages.Budget{}); news {
		t.Error("a session that has consumed nothing reports")
	}
	b := spent(5)
	b.Limit, b.Refused = limit, true
	r, news := d.Report("s", b)
	if !news || r.Session != "s" || r.Budget.Spent.Micros != 5 || !r.Budget.Limit.IsZero() || r.Budget.Refused || r.Waits || r.Deleted {
		t.Errorf("%+v, %v", r, news)
	}
	b.Limit.Micros = 7
	if _, news := d.Report("s", b); news {
		t.Error("the session's own limit is news")
	}
	b.Held = messages.HeldByDay
	if r, news := d.Report("s", b); !news || !r.Waits {
		t.Errorf("work waits: %+v, %v", r, news)
	}
	d.Again()
	if _, news := d.Report("s", b); !news {
		t.Error("the ledger has forgotten")
	}
	if r := Last("s", b); !r.Deleted || r.Budget.Spent.Micros != 5 {
		t.Errorf("%+v", r)
	}
}

func TestWorkIsReported(t *testing.T) {
	d := known(0)
	if _, news := d.Report("s", messages.Budget{WorkingSince: noon}); !news {
		t.Error("a stretch of work is no news")
	}
}

func TestDecide(t *testing.T) {
	d, b := known(1_200_000), spent(0)
	if p := d.Request(b); p.Budget != messages.HeldByDay || len(p.Input) == 0 {
		t.Errorf("%+v", p)
	}
	if d.Decide(&b, true) || b != spent(0) {
		t.Errorf("nobody asked: %+v", b)
	}
	b.DayAsks = true
	if !d.Decide(&b, true) || b.DayAsks || b.DayRaised.Micros != 2_000_000 || d.Limit != b.DayRaised || d.Used(b) {
		t.Errorf("raised: %+v, limit %+v", b, d.Limit)
	}
	d, b = known(1_200_000), spent(0)
	b.DayAsks = true
	if !d.Decide(&b, false) || b.DayAsks || b.DayRefused != limit || !d.Refused || !d.Used(b) {
		t.Errorf("refused: %+v", b)
	}
}
