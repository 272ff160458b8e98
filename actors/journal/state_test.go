package journal

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"pgregory.net/rapid"

	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/messages"
)

func appendOf(commit uint64) messages.Append { return messages.Append{Session: "s", Commit: commit} }

// heavyOf returns an append that is to be staged.
func heavyOf(session messages.SessionID, commit uint64) messages.Append {
	return messages.Append{Session: session, Commit: commit, Events: []messages.Event{{Bytes: heavyEvent}}}
}

var heavyEvent = make([]byte, 1<<20)

// showJournal writes effects in short form: "write 1 2 load, wake 5ms, reply".
func showJournal(effects []act.Effect) string {
	var words []string
	for _, e := range effects {
		switch e := e.(type) {
		case writeGroup:
			word := "write"
			for _, w := range e.work {
				if w.append != nil {
					word += fmt.Sprintf(" %d", w.append.Commit)
				} else {
					word += " load"
				}
			}
			words = append(words, word)
		case act.After:
			words = append(words, fmt.Sprintf("wake %s", e.Delay))
		case checkpoint:
			words = append(words, "move")
		case stageAppend:
			words = append(words, fmt.Sprintf("stage %d", e.append.Commit))
		case tryStore:
			words = append(words, "try")
		case reclaimRoom:
			words = append(words, "reclaim")
		case act.Reply:
			with := e.With
			switch m := with.(type) {
			case health.JournalTried:
				with = m.Err
			case messages.AppendRefused:
				with = fmt.Sprintf("refused %d", m.Commit)
			}
			words = append(words, fmt.Sprintf("reply %v", with))
		}
	}
	return strings.Join(words, ", ")
}

func TestJournalState(t *testing.T) {
	const ms = time.Millisecond
	const isStaged = "what was to be staged is"
	load := messages.LoadSession{Session: "s"}
	done := groupDone{}
	type step struct {
		at   time.Duration
		in   any
		want string
	}
	for _, c := range []struct {
		name   string
		gather time.Duration
		steps  []step
	}{
		{"the first is written at once", 5 * ms, []step{
			{0, appendOf(1), "write 1"},
		}},
		{"a try waits for no transaction, and reports one that hangs", 0, []step{
			{0, health.TryJournal{}, "try"},
			{1 * ms, appendOf(1), "write 1"},
			{2 * ms, health.TryJournal{}, "try"},
			{3 * ms, storeTried{}, "reply <nil>"},
			{time.Minute, health.TryJournal{}, "reply a transaction is not written after 1m0s"},
		}},
		{"what arrives meanwhile is the next transaction", 0, []step{
			{0, appendOf(1), "write 1"},
			{1 * ms, appendOf(2), ""},
			{2 * ms, appendOf(3), ""},
			{9 * ms, done, "write 2 3"},
			{10 * ms, appendOf(4), ""},
			{19 * ms, done, "write 4"},
			{20 * ms, done, ""},
		}},
		{"the log is moved beside the transactions, once at a time", 0, []step{
			{0, appendOf(1), "write 1"},
			{1 * ms, appendOf(2), ""},
			{2 * ms, groupDone{checkpointDue: true}, "move, write 2"},
			{3 * ms, appendOf(3), ""},
			{4 * ms, groupDone{checkpointDue: true}, "write 3"},
			{5 * ms, checkpointed{}, ""},
			{6 * ms, groupDone{checkpointDue: true}, "move"},
		}},
		{"room is given back beside them, once at a time", 0, []step{
			{0, appendOf(1), "write 1"},
			{1 * ms, groupDone{checkpointDue: true, reclaimDue: true}, "move, reclaim"},
			{2 * ms, appendOf(2), "write 2"},
			{3 * ms, groupDone{reclaimDue: true}, ""},
			{4 * ms, roomReclaimed{}, ""},
			{5 * ms, appendOf(3), "write 3"},
			{6 * ms, groupDone{reclaimDue: true}, "reclaim"},
			{7 * ms, appendOf(4), "write 4"},
			{8 * ms, groupDone{failure: errors.New("disk")}, "wake 1s"},
			{9 * ms, roomReclaimed{failure: errors.New("disk")}, ""},
			{10 * ms, reopened{}, ""},
			{11 * ms, appendOf(5), "write 5"},
			{12 * ms, groupDone{reclaimDue: true}, "reclaim"},
		}},
		{"transactions begin no closer than the gathering time", 5 * ms, []step{
			{0, appendOf(1), "write 1"},
			{1 * ms, done, ""},
			{2 * ms, appendOf(2), "wake 3ms"},
			{3 * ms, appendOf(3), ""},
			{5 * ms, gatherOver{}, "write 2 3"},
			{6 * ms, appendOf(4), ""},
			{7 * ms, done, "wake 3ms"},
			{10 * ms, gatherOver{}, "write 4"},
		}},
		{"a transaction that took long is followed at once", 5 * ms, []step{
			{0, appendOf(1), "write 1"},
			{1 * ms, appendOf(2), ""},
			{30 * ms, done, "write 2"},
		}},
		{"an idle journal has no timer", 5 * ms, []step{
			{0, appendOf(1), "write 1"},
			{1 * ms, done, ""},
			{time.Hour, appendOf(2), "write 2"},
			{time.Hour + ms, done, ""},
		}},
		{"a timer of nobody", 5 * ms, []step{
			{0, gatherOver{}, ""},
			{1 * ms, appendOf(1), "write 1"},
			{2 * ms, gatherOver{}, ""},
		}},
		{"a clock set back delays nothing", 5 * ms, []step{
			{time.Hour, appendOf(1), "write 1"},
			{time.Hour, done, ""},
			{time.Minute, appendOf(2), "write 2"},
		}},
		{"a load keeps its place", 0, []step{
			{0, appendOf(1), "write 1"},
			{0, appendOf(2), ""},
			{0, load, ""},
			{0, appendOf(3), ""},
			{1 * ms, done, "write 2 load 3"},
		}},
		{"replies come before the next transaction", 0, []step{
			{0, appendOf(1), "write 1"},
			{0, appendOf(2), ""},
			{1 * ms, groupDone{replies: []act.Reply{{To: nil, With: "a"}, {To: nil, With: "b"}}}, "reply a, reply b, write 2"},
		}},
		{"what is large is staged beside the transactions, and holds up its session alone", 0, []step{
			{0, heavyOf("s", 1), "stage 1"},
			{1 * ms, heavyOf("t", 2), ""},
			{2 * ms, messages.Append{Session: "u", Commit: 3}, "write 3"},
			{3 * ms, appendOf(4), ""},
			{4 * ms, load, ""},
			{5 * ms, heavyOf("s", 5), ""},
			{6 * ms, done, ""},
			{7 * ms, isStaged, "stage 2, write 1"},
			{8 * ms, done, ""},
			{9 * ms, isStaged, "write 2 4 load"},
			{10 * ms, done, "stage 5"},
			{11 * ms, isStaged, "write 5"},
		}},
		{"what comes before it of its session is written first", 0, []step{
			{0, appendOf(1), "write 1"},
			{1 * ms, appendOf(2), ""},
			{2 * ms, heavyOf("s", 3), ""},
			{3 * ms, done, "write 2"},
			{4 * ms, done, "stage 3"},
			{5 * ms, isStaged, "write 3"},
		}},
		{"an unstaged append is refused when the journal fails, and not written by a later one", 0, []step{
			{0, heavyOf("s", 1), "stage 1"},
			{1 * ms, appendOf(2), ""},
			{2 * ms, messages.Append{Session: "u", Commit: 3}, "write 3"},
			{3 * ms, groupDone{failure: errors.New("disk")}, "reply refused 1, reply refused 2, wake 1s"},
			{4 * ms, reopened{}, ""},
			{5 * ms, heavyOf("s", 4), ""},
			{6 * ms, isStaged, "stage 4"},
			{7 * ms, isStaged, "write 4"},
		}},
		{"anything else is ignored", 0, []step{{0, "hello", ""}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := state{gather: c.gather}
			var staging *messages.Append // the newest
			for i, step := range c.steps {
				var effects []act.Effect
				if step.in == isStaged {
					step.in = staged{staging}
				}
				s, effects = s.step(dawn.Add(step.at), nil, step.in)
				for _, e := range effects {
					if e, ok := e.(stageAppend); ok {
						staging = e.append
					}
				}
				if got := showJournal(effects); got != step.want {
					t.Fatalf("step %d: got %q, want %q", i+1, got, step.want)
				}
			}
		})
	}
}

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

// commits is a store that records its calls.
type commits struct {
	Store
	log  []string
	fail map[uint64]error // by commit
}

func (c *commits) Commit(appends []messages.Append) []error {
	var errs []error
	word := "commit"
	for _, a := range appends {
		word += fmt.Sprintf(" %d", a.Commit)
		errs = append(errs, c.fail[a.Commit])
	}
	c.log = append(c.log, word)
	return errs
}

func (c *commits) Load(id messages.SessionID) (messages.SessionLoaded, error) {
	c.log = append(c.log, "load "+string(id))
	if id == "broken" {
		return messages.SessionLoaded{}, errors.New("bits have flipped")
	}
	return messages.SessionLoaded{Found: true}, nil
}

func TestWriteAll(t *testing.T) {
	who := func(n int) *actor.PID { return actor.NewPID("here", fmt.Sprint(n)) }
	put := func(n uint64) request { a := appendOf(n); return request{from: who(int(n)), append: &a} }
	get := func(id messages.SessionID) request { return request{from: who(99), load: id} }
	stale := messages.Errorf("append", messages.Aborted, "head is elsewhere")
	full := messages.Errorf("append", messages.Unavailable, "no space left")

	store := &commits{fail: map[uint64]error{2: stale, 5: errors.New("what is this"), 6: full}}
	done := writeAll(store, []request{put(1), put(2), get("s"), get("broken"), put(3), put(4), put(5), put(6), get("s")})

	want := []string{"commit 1 2", "load s", "load broken", "commit 3 4 5 6", "load s"}
	if !slices.Equal(store.log, want) {
		t.Errorf("the store was asked %q, want %q", store.log, want)
	}
	var got []string
	for _, r := range done.replies {
		switch with := r.With.(type) {
		case messages.Committed:
			got = append(got, fmt.Sprintf("%s: committed %d", r.To.Id, with.Commit))
		case messages.AppendRefused:
			got = append(got, fmt.Sprintf("%s: refused %d %s", r.To.Id, with.Commit, with.Err.Kind))
		case messages.SessionLoaded:
			got = append(got, fmt.Sprintf("%s: loaded", r.To.Id))
		case *messages.Error:
			got = append(got, fmt.Sprintf("%s: %s", r.To.Id, with.Kind))
		}
	}
	wantReplies := []string{
		"1: committed 1", "2: refused 2 aborted", "99: loaded", "99: internal", "3: committed 3", "4: committed 4",
		"5: refused 5 internal", "6: refused 6 unavailable", "99: loaded",
	}
	if !slices.Equal(got, wantReplies) {
		t.Errorf("replies:\n%q\nwant:\n%q", got, wantReplies)
	}
	if !errors.Is(done.failure, full) {
		t.Errorf("the disk's failure is reported as %v", done.failure)
	}
	if done = writeAll(store, []request{put(2)}); done.failure != nil {
		t.Errorf("a stale append is taken for a failure of the disk: %v", done.failure)
	}
}
