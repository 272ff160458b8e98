package journal

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

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
