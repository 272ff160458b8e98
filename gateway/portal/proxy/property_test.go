package proxy

import (
	"fmt"
	"slices"
	"testing"

	"betcode/gateway/portal/proxy/proxytest"
)

// rounds is the number of runs of each property. A failure names its seed.
const rounds = 150

// play executes random actions in a world: the agent works, pages send prompts and answers, frames
// arrive or are lost, connections break, the proxy is killed. restart restarts the backend.
func (w *world) play(steps int, restart func()) {
	w.connect()
	for range steps {
		if w.ended != nil {
			w.cut(false)
		}
		switch n := w.rand.IntN(100); {
		case n < 12:
			w.work()
		case n < 16:
			w.say()
		case n < 20:
			if s, _ := w.db.Session(sessionID); s.Request != nil {
				w.db.Answer(sessionID, proxytest.Frame{"request_id": s.Request["request_id"], "allow": true, "input": s.Request["input"]})
			}
		case n < 22:
			w.cut(w.rand.IntN(2) == 0)
		case n < 23 && restart != nil:
			restart()
		case n < 27:
			w.do(w.link.tick())
		default:
			w.step(w.rand.IntN(4))
		}
	}
	w.settle()
	w.cut(false)
	w.settle()
}

// difference describes the first difference.
func difference(got, want []string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	show := func(lines []string) string { return fmt.Sprintf("%.600q", lines[at:min(at+1, len(lines))]) }
	return fmt.Sprintf("%d lines are stored, want %d; line %d is\n%s\nwant\n%s", len(got), len(want), at, show(got), show(want))
}

// After any failures, the backend has the lines of the session, each once, in order; each prompt is
// run once and acknowledged; a waiting request is shown.
func TestOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t, 1+int(seed%3), seed)
			w.play(400, nil)
			if got, want := w.stored(), w.wanted(); !slices.Equal(got, want) {
				t.Fatal(difference(got, want))
			}
			for n := range w.said {
				if times := w.prompts()[fmt.Sprint("prompt ", n+1)]; times != 1 {
					t.Errorf("prompt %d was said %d times", n+1, times)
				}
			}
			s, _ := w.db.Session(sessionID)
			if len(s.Pending) > 0 {
				t.Errorf("not acknowledged: %v", s.Pending)
			}
			if w.waiting != nil && (s.Request == nil || s.Request["request_id"] != w.waiting.GetRequestId()) {
				t.Errorf("%s waits, and the backend has %v", w.waiting.GetRequestId(), s.Request)
			}
			w.readable()
		})
	}
}

// A backend that loses its numbers may store an unacknowledged line twice, but no line is missing,
// and prompts are run once.
func TestForgetfulBackend(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t, 1+int(seed%3), seed)
			w.play(400, func() {
				w.peer.Close()
				w.db.Forget()
				w.cut(false)
			})
			stored := w.stored()
			for _, line := range w.wanted() {
				if !slices.Contains(stored, line) {
					t.Fatalf("missing: %s", line)
				}
			}
			for n := range w.said {
				if times := w.prompts()[fmt.Sprint("prompt ", n+1)]; times != 1 {
					t.Errorf("prompt %d was said %d times", n+1, times)
				}
			}
			w.readable()
		})
	}
}

// Lines that a backend acknowledged before it lost its numbers are not sent again, regardless of how the proxy ended.
func TestAcknowledgedLinesStayAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, 7)
	w.connect()
	for range 200 {
		w.work()
	}
	w.settle()
	w.do(w.link.tick()) // saves
	for _, kill := range []bool{false, true} {
		w.db.Forget()
		w.cut(kill)
		w.settle()
	}
	if got, want := w.stored(), w.wanted(); !slices.Equal(got, want) {
		t.Error(difference(got, want))
	}
}

// A proxy that lost its checkpoint sends the same lines under the same numbers, and runs no prompt twice.
func TestLostCheckpoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, 8)
	w.connect()
	for range 100 {
		w.work()
		if len(w.journal)%10 == 0 {
			w.say()
		}
		w.settle()
	}
	w.durable = Checkpoint{}
	w.connect()
	w.settle()
	for range 20 {
		w.work()
	}
	w.settle()
	if got, want := w.stored(), w.wanted(); !slices.Equal(got, want) {
		t.Error(difference(got, want))
	}
}

// The sequences of a restored journal repeat; numbers of lines still rise, and new lines are stored.
func TestRestoredJournal(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		w := newWorld(t, 3, seed)
		w.connect()
		for range 100 {
			w.work()
		}
		w.settle()
		w.do(w.link.tick())
		before := len(w.stored())
		w.journal, w.lineage, w.waiting = w.journal[:20+w.rand.IntN(60)], "two", nil
		if w.rand.IntN(2) == 0 { // it has grown beyond the old head before the proxy connects
			for len(w.journal) < 120 {
				w.work()
			}
		}
		w.cut(w.rand.IntN(2) == 0)
		w.settle()
		for range 30 {
			w.work()
		}
		w.settle()
		stored, wanted := w.stored(), w.wanted()
		tail := wanted[len(wanted)-5:]
		if !slices.Equal(stored[len(stored)-5:], tail) || len(stored) < before+5 {
			t.Errorf("seed %d: %d lines, then %d, ending with %q, want %q", seed, before, len(stored), stored[len(stored)-5:], tail)
		}
		s, _ := w.db.Session(sessionID)
		for i := 1; i < len(s.Lines); i++ {
			if s.Lines[i].Seq <= s.Lines[i-1].Seq {
				t.Fatalf("seed %d: number %d follows %d", seed, s.Lines[i].Seq, s.Lines[i-1].Seq)
			}
		}
	}
}
