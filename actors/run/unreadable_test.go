package run

import (
	"fmt"
	"testing"
	"time"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// A spool on a disk that does not answer is read again, and no line is lost or sent twice.
func TestSpoolThatCannotBeRead(t *testing.T) {
	a, b := says("a", "queued"), says("b", "started")
	n := int64(len(a)) + 1
	up := agentUp{record: messages.RunRecord{Run: 3}}
	eio := messages.Errorf("read spool", messages.Unavailable, "input/output error")
	fails, tailFails := linesRead{err: eio}, tailRead{err: eio}
	const unreadable = "unreadable(read spool: input/output error)"
	const lost = "output 0-0, close, ended(unknown: its output cannot be read: read spool: input/output error)"
	for _, c := range []struct {
		name  string
		steps []runStep
	}{
		{"while the agent lives", []runStep{
			{up, "started(adopted false), read"},
			{fails, unreadable + ", in 1s {}"},
			{spoolGrew{}, ""},
			{credit, ""},
			{readAgain{}, "read"},
			{fails, "in 2s {}"},
			{readAgain{}, "read"},
			{more(lines(0, a)), fmt.Sprintf("unreadable(<nil>), in 4ms {}, output 0-%d a queued", n)},
			{pauseOver{}, "read"},
			{lines(n, b), fmt.Sprintf("output %d-%d b started", n, n+int64(len(b))+1)},
		}},
		{"and finds nothing when it can", []runStep{
			{up, "started(adopted false), read"},
			{fails, unreadable + ", in 1s {}"},
			{readAgain{}, "read"},
			{lines(0), "unreadable(<nil>)"},
			{spoolGrew{}, "read"},
			{fails, unreadable + ", in 1s {}"}, // from the beginning
		}},
		{"when it has ended", []runStep{
			{up, "started(adopted false), read"},
			{fails, unreadable + ", in 1s {}"},
			{exited(0), ""},
			{readAgain{}, "read"},
			{fails, "in 2s {}"},
			{readAgain{}, "read"},
			{lines(0, a), fmt.Sprintf("unreadable(<nil>), output 0-%d a queued, read", n)},
			{lines(n), "tail"},
			{tailFails, unreadable + ", in 1s {}"},
			{readAgain{}, "read"},
			{lines(n), "unreadable(<nil>), tail"},
			{torn(n, ""), fmt.Sprintf("output %d-%d, close, ended(0)", n, n)},
		}},
		{"unless the session ends it permanently", []runStep{
			{up, "started(adopted false), read"},
			{fails, unreadable + ", in 1s {}"},
			{Stop{StopOrderly}, "write end_session, in 3s {n:1}"},
			{readAgain{}, "read"},
			{fails, "in 2s {}"}, // the spool may have more output
			{exited(0), "kill"},
			{readAgain{}, "read"},
			{fails, "unreadable(<nil>), " + lost},
		}},
		{"but also when the daemon ends", []runStep{
			{up, "started(adopted false), read"},
			{Stop{StopResumable}, "terminated, in 5s {n:2}"},
			{fails, unreadable + ", in 1s {}"},
			{exited(143), "kill"},
			{readAgain{}, "read"},
			{fails, "in 2s {}"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) { walkRun(t, runWith(9), c.steps) })
	}
	t.Run("ten minutes after its end it is given up", func(t *testing.T) {
		s := runWith(9)
		at, tries := dawn, 0
		s, _ = s.step(at, up)
		s, _ = s.step(at, exited(0))
		for ; s.phase != phaseOver; tries++ {
			next, effects := s.step(at, fails)
			for _, e := range effects {
				if w, ok := e.(act.After); ok {
					at = at.Add(w.Delay)
				}
			}
			s, _ = next.step(at, readAgain{})
		}
		if waited := at.Sub(dawn); waited < rereadPatience || waited > rereadPatience+time.Minute || s.exit.Known || tries > 30 {
			t.Errorf("after %s and %d tries: %+v", waited, tries, s.exit)
		}
	})
	t.Run("damage is no such thing", func(t *testing.T) {
		walkRun(t, runWith(9), []runStep{
			{up, "started(adopted false), read"},
			{linesRead{err: messages.Errorf("read spool", messages.DataLoss, "it shrank")}, "kill"},
		})
	})
}
