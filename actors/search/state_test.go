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

// The states of an index, message by message.
func TestLife(t *testing.T) {
	damaged := messages.Errorf("x", messages.DataLoss, "damaged")
	for _, c := range []struct {
		name  string
		plays []any // messages, each followed by its effects
	}{
		{"built, idle, written", []any{
			opened{},
			"limit, sweepLater, work 0",
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
			"limit, sweepLater, work 0",
			worked{},
			"work 2",
			worked{job: check},
			"work 3",
			worked{job: sweep, more: true},
			"work 3",
			worked{job: sweep},
			"await, flushLater",
		}},
		{"one that did not fit is built anew", []any{opened{existed: true, lost: damaged}, "limit, report, sweepLater, work 0", worked{}, "await, flushLater"}},
		{"damage is found", []any{opened{}, "limit, sweepLater, work 0", worked{err: damaged}, "report, rebuildIndex", opened{}, "limit, sweepLater, work 0"}},
		{"a search finds damage", []any{opened{}, "limit, sweepLater, work 0", broken{damaged}, "", worked{}, "report, rebuildIndex", opened{}, "limit, sweepLater, work 0"}},
		{"a search finds damage while idle", []any{opened{}, "limit, sweepLater, work 0", worked{}, "await, flushLater", broken{damaged}, "report, rebuildIndex"}},
		{"a failure is repeated", []any{opened{}, "limit, sweepLater, work 0", worked{err: errors.New("no space")}, "wake, report", due{}, "work 0", worked{err: errors.New("no space")}, "wake", due{}, "work 0", worked{}, "await, flushLater", flushDue{}, "work 1", worked{job: flush, err: errors.New("no space")}, "wake, report"}},
		{"opening fails", []any{opened{err: errors.New("in use")}, "wake, report", due{}, "openIndex", opened{}, "limit, sweepLater, work 0"}},
		{"work that comes meanwhile waits", []any{
			opened{}, "limit, sweepLater, work 0", flushDue{}, "", sweepDue{}, "sweepLater", flushDue{}, "", worked{}, "work 1", worked{job: flush}, "work 3", worked{job: sweep}, "await",
		}},
		{"switched off while it works, and on", []any{
			opened{}, "limit, sweepLater, work 0", setTo(0), "", worked{more: true}, "removeIndex", setTo(7), "", closed{}, "openIndex",
		}},
		{"switched off while idle", []any{opened{}, "limit, sweepLater, work 0", worked{}, "await, flushLater", setTo(0), "removeIndex", closed{}, "", due{}, "", setTo(5), "openIndex"}},
		{"another size while it is opened", []any{setTo(99), "", opened{}, "limit, sweepLater, work 0"}},
		{"another size", []any{opened{}, "limit, sweepLater, work 0", worked{}, "await, flushLater", setTo(99), "limit, work 0"}},
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

// In any sequence of messages one job runs at a time, and the actor always waits for a message that makes it continue. Without
// further failures the index is finally open if it is wanted, and closed otherwise.
func TestOneJobAtATime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s state
		var running any // the job under way
		armed := map[any]bool{}
		take := func(next state, effects []act.Effect) {
			s = next
			for _, e := range effects {
				switch e.(type) {
				case openIndex, rebuildIndex, removeIndex, work:
					if running != nil {
						t.Fatalf("%T while there is %T", e, running)
					}
					running = e
				case wake:
					armed[due{}] = true
				case await:
					armed[committed{}] = true
				case flushLater:
					armed[flushDue{}] = true
				case sweepLater:
					armed[sweepDue{}] = true
				}
			}
			if s.maxBytes > 0 && running == nil && !armed[due{}] && !armed[committed{}] {
				t.Fatalf("nothing is under way in %+v", s)
			}
		}
		ends := func(failure error, more bool) {
			result := map[bool]any{true: closed{}, false: opened{existed: more, err: failure}}[running == removeIndex{}]
			if w, ok := running.(work); ok {
				result = worked{job: w.job, more: more, err: failure}
			}
			running = nil
			take(s.step(result))
		}
		fires := func(m any) {
			if armed[m] {
				delete(armed, m)
				take(s.step(m))
			}
		}
		take(s.begin(rapid.SampledFrom([]int64{0, 9}).Draw(t, "bytes")))
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch n := rapid.IntRange(0, 7).Draw(t, "message"); n {
			case 0, 1:
				if running != nil {
					ends(drawFailure(t), rapid.Bool().Draw(t, "more"))
				}
			case 2:
				take(s.step(setTo(rapid.SampledFrom([]int64{0, 9, 10}).Draw(t, "size"))))
			case 3:
				take(s.step(broken{messages.Errorf("x", messages.DataLoss, "damaged")}))
			default:
				fires([]any{due{}, committed{}, flushDue{}, sweepDue{}}[n-4])
			}
		}
		for range 99 {
			if running != nil {
				ends(nil, false)
			} else {
				fires(due{})
			}
		}
		if wanted := s.maxBytes > 0; s.open != wanted || running != nil {
			t.Fatalf("wanted %v, open %v, %T under way", wanted, s.open, running)
		}
	})
}

func drawFailure(t *rapid.T) error {
	return rapid.SampledFrom([]error{nil, nil, errors.New("disk"), messages.Errorf("x", messages.DataLoss, "damaged")}).Draw(t, "failure")
}
