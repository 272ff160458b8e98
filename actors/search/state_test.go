package search

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func shown(effects []act.Effect) string {
	var all []string
	for _, e := range effects {
		text := fmt.Sprintf("%T", e)
		if w, ok := e.(work); ok {
			text = fmt.Sprintf("work %d", w.job)
		}
		all = append(all, strings.TrimPrefix(text, "search."))
	}
	return strings.Join(all, ", ")
}

func setTo(bytes int64) settings.Changed {
	return settings.Changed{Now: &settings.Settings{SearchBytes: bytes}}
}

// The life of an index, message by message.
func TestLife(t *testing.T) {
	damaged := messages.Errorf("x", messages.DataLoss, "damaged")
	for _, c := range []struct {
		name  string
		plays []any // messages, each followed by the effects it has
	}{
		{"built, idle, written", []any{
			opened{},
			"sweepLater, work 0",
			worked{more: true},
			"wake",
			due{},
			"work 0",
			worked{},
			"await, flushLater",
			committed{},
			"wake",
			due{},
			"work 0",
			worked{},
			"await, flushLater",
			flushDue{},
			"work 1",
			worked{job: flush},
			"await",
		}},
		{"an index that was there is checked", []any{
			opened{existed: true},
			"sweepLater, work 0",
			worked{},
			"work 2",
			worked{job: check},
			"work 3",
			worked{job: sweep, more: true},
			"work 3",
			worked{job: sweep},
			"await, flushLater",
		}},
		{"one that did not fit is built anew", []any{opened{existed: true, lost: damaged}, "report, sweepLater, work 0", worked{}, "await, flushLater"}},
		{"damage is found", []any{opened{}, "sweepLater, work 0", worked{err: damaged}, "report, rebuildIndex", opened{}, "sweepLater, work 0"}},
		{"a search finds damage", []any{opened{}, "sweepLater, work 0", broken{damaged}, "", worked{}, "report, rebuildIndex", opened{}, "sweepLater, work 0"}},
		{"a search finds damage while idle", []any{opened{}, "sweepLater, work 0", worked{}, "await, flushLater", broken{damaged}, "report, rebuildIndex"}},
		{"a failure is repeated", []any{opened{}, "sweepLater, work 0", worked{err: errors.New("no space")}, "report, wake", due{}, "work 0"}},
		{"opening fails", []any{opened{err: errors.New("in use")}, "report, wake", due{}, "openIndex", opened{}, "sweepLater, work 0"}},
		{"work that comes meanwhile waits", []any{
			opened{}, "sweepLater, work 0", flushDue{}, "", sweepDue{}, "sweepLater", flushDue{}, "", worked{}, "work 1", worked{job: flush}, "work 3", worked{job: sweep}, "await",
		}},
		{"switched off while it works, and on", []any{
			opened{}, "sweepLater, work 0", setTo(0), "", worked{more: true}, "closeIndex", setTo(7), "", closed{}, "openIndex",
		}},
		{"switched off while idle", []any{opened{}, "sweepLater, work 0", worked{}, "await, flushLater", setTo(0), "closeIndex", closed{}, "", due{}, "", setTo(5), "openIndex"}},
		{"another size", []any{opened{}, "sweepLater, work 0", worked{}, "await, flushLater", setTo(99), "limit, work 0"}},
	} {
		s, effects := state{}.begin(1 << 20)
		if shown(effects) != "openIndex" {
			t.Fatalf("begins with %s", shown(effects))
		}
		for i := 0; i < len(c.plays); i += 2 {
			if s, effects = s.step(c.plays[i]); shown(effects) != c.plays[i+1] {
				t.Fatalf("%s: %T %+v: %q, want %q", c.name, c.plays[i], c.plays[i], shown(effects), c.plays[i+1])
			}
		}
	}
}

// Whatever happens, one job runs at a time, and an index that is wanted is open or on its way, once the last timer has fired.
func TestOneJobAtATime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, effects := state{}.begin(rapid.SampledFrom([]int64{0, 9}).Draw(t, "bytes"))
		var running []any // results of jobs under way
		armed := false
		take := func(effects []act.Effect) {
			for _, e := range effects {
				switch e := e.(type) {
				case openIndex, rebuildIndex:
					running = append(running, opened{existed: rapid.Bool().Draw(t, "existed"), err: drawFailure(t)})
				case closeIndex:
					running = append(running, closed{})
				case work:
					running = append(running, worked{job: e.job, more: rapid.Bool().Draw(t, "more"), err: drawFailure(t)})
				case wake, await, flushLater, sweepLater:
					armed = true
				}
			}
			if len(running) > 1 {
				t.Fatalf("%d jobs at once", len(running))
			}
		}
		take(effects)
		step := func(m any) {
			s, effects = s.step(m)
			take(effects)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "message") {
			case 0, 1:
				if len(running) > 0 {
					result := running[0]
					running = nil
					step(result)
				}
			case 2:
				step(setTo(rapid.SampledFrom([]int64{0, 9, 10}).Draw(t, "size")))
			case 3:
				step(due{})
			case 4:
				step(flushDue{})
			case 5:
				step(sweepDue{})
			}
		}
		_ = armed
		for range 200 { // everything works from now on
			if len(running) > 0 {
				running = nil
				switch {
				case s.open && s.busy:
					step(worked{})
				case s.maxBytes > 0 && s.busy:
					step(opened{})
				default:
					step(closed{})
				}
				continue
			}
			step(due{})
			if len(running) == 0 {
				break
			}
		}
		if wanted := s.maxBytes > 0; s.open != wanted && len(running) == 0 {
			t.Fatalf("wanted %v, open %v", wanted, s.open)
		}
	})
}

func drawFailure(t *rapid.T) error {
	return rapid.SampledFrom([]error{nil, nil, errors.New("disk"), messages.Errorf("x", messages.DataLoss, "damaged")}).Draw(t, "failure")
}
