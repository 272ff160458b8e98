package journal

import (
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// For any order of requests, timers and ends of transactions: one transaction at a time,
// requests in order, nothing twice, and a wake-up is scheduled for each waiting request.
func TestJournalStateProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sessions := []messages.SessionID{"s", "t", "u"}
		s := state{gather: time.Duration(rapid.IntRange(0, 3).Draw(t, "gather")) * time.Millisecond}
		now, sent, written := dawn, map[messages.SessionID]uint64{}, map[messages.SessionID]uint64{}
		writing, timers := false, 0
		var staging *messages.Append
		done := map[messages.SessionID]uint64{} // committed
		ready := map[messages.SessionID]uint64{}
		var began time.Time
		step := func(t *rapid.T, m any) {
			var effects []act.Effect
			s, effects = s.step(now, nil, m)
			for _, e := range effects {
				switch e := e.(type) {
				case act.After:
					timers++
					if e.Delay <= 0 || e.Delay > s.gather {
						t.Fatalf("a timer of %s", e.Delay)
					}
				case writeGroup:
					if writing || len(e.work) == 0 {
						t.Fatalf("writing already: %v, %d requests", writing, len(e.work))
					}
					if gap := now.Sub(began); gap < s.gather {
						t.Fatalf("%s after the last transaction", gap)
					}
					writing, began = true, now
					for _, w := range e.work {
						of := w.append.Session
						if written[of]++; w.append.Commit != written[of] {
							t.Fatalf("append %d of %s is written as number %d", w.append.Commit, of, written[of])
						}
						if w.append.Heavy() && ready[of] != w.append.Commit {
							t.Fatalf("append %d of %s is not staged", w.append.Commit, of)
						}
					}
				case stageAppend:
					if staging != nil || done[e.append.Session] != e.append.Commit-1 {
						t.Fatalf("append %d is staged after %d, beside %v", e.append.Commit, done[e.append.Session], staging)
					}
					staging = e.append
				}
			}
			for _, id := range sessions {
				if written[id] < sent[id] && !writing && timers == 0 && staging == nil {
					t.Fatal("requests wait for nobody")
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				id := rapid.SampledFrom(sessions).Draw(t, "session")
				sent[id]++
				if rapid.IntRange(0, 3).Draw(t, "heavy") == 0 {
					step(t, heavyOf(id, sent[id]))
				} else {
					step(t, messages.Append{Session: id, Commit: sent[id]})
				}
			},
			"staged": func(t *rapid.T) {
				if staging == nil {
					t.Skip()
				}
				m := staged{staging}
				ready[staging.Session], staging = staging.Commit, nil
				step(t, m)
			},
			"time": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "µs")) * time.Microsecond)
			},
			"done": func(t *rapid.T) {
				if !writing {
					t.Skip()
				}
				writing, done = false, maps.Clone(written)
				step(t, groupDone{})
			},
			"timer": func(t *rapid.T) {
				if timers == 0 {
					t.Skip()
				}
				timers--
				now = now.Add(s.gather)
				step(t, gatherOver{})
			},
		})
	})
}
