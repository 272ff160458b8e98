package run

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/spool"
	"betcode/messages"
)

func TestRunReads(t *testing.T) {
	a, b := says("a", "queued"), says("b", "started")
	n := int64(len(a)) + 1
	up := agentUp{record: messages.RunRecord{Run: 3, State: messages.RunRunning}}
	for _, c := range []struct {
		name    string
		credits int
		steps   []runStep
	}{
		{"until nothing is left, then when there is more", 9, []runStep{
			{up, "started(adopted false), read"},
			{more(lines(0, a)), fmt.Sprintf("in 4ms {}, output 0-%d a queued", n)},
			{spoolGrew{}, ""},
			{credit, ""},
			{pauseOver{}, "read"},
			{lines(n), ""},
			{spoolGrew{}, "read"},
			{lines(n, b), fmt.Sprintf("output %d-%d b started", n, n+int64(len(b))+1)},
		}},
		{"what was the end when it was read is not looked at again", 9, []runStep{
			{up, "started(adopted false), read"},
			{lines(0, a), fmt.Sprintf("output 0-%d a queued", n)},
			{credit, ""},
			{spoolGrew{}, "read"},
			{spoolGrew{}, ""},
			{lines(n, b), fmt.Sprintf("output %d-%d b started, read", n, n+int64(len(b))+1)},
		}},
		{"nothing before it is up", 9, []runStep{
			{spoolGrew{}, ""},
			{credit, ""},
			{agentUp{record: messages.RunRecord{Run: 3}, adopted: true}, "started(adopted true), thaw, read"},
		}},
		{"one read at a time", 9, []runStep{
			{up, "started(adopted false), read"},
			{spoolGrew{}, ""},
			{credit, ""},
		}},
		{"what grew behind the back of a read is read", 9, []runStep{
			{up, "started(adopted false), read"},
			{spoolGrew{}, ""}, // after the read has measured, before its result arrives
			{lines(0), "read"},
			{lines(0, a), fmt.Sprintf("output 0-%d a queued", n)},
		}},
		{"no further than the credits go", 2, []runStep{
			{up, "started(adopted false), read"},
			{more(lines(0, a)), fmt.Sprintf("in 4ms {}, output 0-%d a queued", n)},
			{pauseOver{}, "read"},
			{more(lines(n, b)), fmt.Sprintf("in 4ms {}, output %d-%d b started", n, n+int64(len(b))+1)},
			{pauseOver{}, ""},
			{spoolGrew{}, ""},
			{credit, "read"},
			{lines(n + int64(len(b)) + 1), ""},
			{credit, ""},
		}},
		{"an empty read costs no credit", 1, []runStep{
			{up, "started(adopted false), read"},
			{lines(0), ""},
			{spoolGrew{}, "read"},
			{lines(0), ""},
			{spoolGrew{}, "read"},
			{lines(0, a), fmt.Sprintf("output 0-%d a queued", n)},
		}},
	} {
		t.Run(c.name, func(t *testing.T) { walkRun(t, runWith(c.credits), c.steps) })
	}
}

func TestRunDrains(t *testing.T) {
	a := says("a", "completed")
	n := int64(len(a)) + 1
	up := agentUp{record: messages.RunRecord{Run: 3}}
	for _, c := range []struct {
		name    string
		credits int
		steps   []runStep
	}{
		{"everything before the end", 9, []runStep{
			{up, "started(adopted false), read"},
			{lines(0), ""},
			{exited(0), "read"},
			{lines(0, a), fmt.Sprintf("output 0-%d a completed, read", n)},
			{lines(n), "tail"},
			{torn(n, ""), fmt.Sprintf("output %d-%d, close, ended(0)", n, n)},
		}},
		{"the torn last line is kept", 9, []runStep{
			{up, "started(adopted false), read"},
			{exited(143), "kill"},
			{lines(0, a), fmt.Sprintf("output 0-%d a completed, read", n)},
			{lines(n), "tail"},
			{torn(n, `{"type":"res`), fmt.Sprintf(`output %d-%d raw({"type":"res), close, ended(143)`, n, n+12)},
		}},
		{"a read that was under way may not have seen the last lines", 9, []runStep{
			{up, "started(adopted false), read"},
			{exited(0), ""},
			{lines(0), "read"},
			{lines(0, a), fmt.Sprintf("output 0-%d a completed, read", n)},
			{lines(n), "tail"},
			{torn(n, ""), fmt.Sprintf("output %d-%d, close, ended(0)", n, n)},
		}},
		{"with credits only", 1, []runStep{
			{up, "started(adopted false), read"},
			{lines(0, a), fmt.Sprintf("output 0-%d a completed", n)},
			{exited(0), ""},
			{credit, "read"},
			{lines(n), "tail"},
			{torn(n, ""), fmt.Sprintf("output %d-%d, close, ended(0)", n, n)},
			{credit, ""},
		}},
		{"it never came up", 9, []runStep{
			{agentExited{messages.Exit{Reason: NeverStarted}}, "read"},
			{linesRead{}, "tail"},
			{tailRead{}, "output 0-0, close, ended(unknown: never started)"},
		}},
		{"it ends once", 9, []runStep{
			{exited(0), "read"},
			{exited(1), ""},
			{linesRead{}, "tail"},
			{exited(1), ""},
			{tailRead{}, "output 0-0, close, ended(0)"},
			{exited(1), ""},
			{spoolGrew{}, ""},
			{credit, ""},
		}},
		{"the tail cannot be read", 9, []runStep{
			{exited(0), "read"},
			{linesRead{}, "tail"},
			{tailRead{err: os.ErrClosed}, "output 0-0, close, ended(unknown: the end of its output cannot be read: file already closed)"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) { walkRun(t, runWith(c.credits), c.steps) })
	}
}

// A damaged spool is not read any further. The agent is ended, and the run is over only
// when its process has ended: two agents must never share a session.
func TestRunWithDamagedSpool(t *testing.T) {
	damaged := linesRead{err: errors.New("it shrank")}
	const gone = "output 0-0, close, ended(unknown: its output cannot be read: it shrank)"
	t.Run("while it lives", func(t *testing.T) {
		walkRun(t, runWith(9), []runStep{
			{agentUp{record: messages.RunRecord{Run: 3}}, "started(adopted false), read"},
			{damaged, "kill"},
			{spoolGrew{}, ""},
			{credit, ""},
			{agentExited{messages.Exit{Known: true, Signal: "killed"}}, gone},
			{credit, ""},
		})
	})
	t.Run("after its end", func(t *testing.T) {
		walkRun(t, runWith(9), []runStep{
			{exited(0), "read"},
			{damaged, gone},
		})
	})
}

// A line that was too long for memory is replaced by a note.
func TestRunNotesLinesThatWereCutOut(t *testing.T) {
	cut := spool.Batch{From: 0, To: 101, Lines: []spool.Line{{Cut: true, Size: 100, End: 101}}}
	walkRun(t, runWith(9), []runStep{
		{agentUp{record: messages.RunRecord{Run: 3}}, "started(adopted false), read"},
		{linesRead{batch: cut}, "output 0-101 raw(a line of 100 bytes was cut out)"},
		{exited(0), "read"},
		{lines(101), "tail"},
		{
			tailRead{batch: spool.Batch{From: 101, To: 301, Lines: []spool.Line{{Cut: true, Size: 200, End: 301}}}},
			"output 101-301 raw(a line of 200 bytes was cut out), close, ended(0)",
		},
	})
}

// The end of the run ends, in its last output, everything that the agent left open.
func TestRunEndsWhatWasOpen(t *testing.T) {
	call := `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"call","name":"Bash","input":{}}]}}`
	n := int64(len(call)) + 1
	s := walkRun(t, runWith(9), []runStep{
		{agentUp{record: messages.RunRecord{Run: 3}}, "started(adopted false), read"},
		{lines(0, call), fmt.Sprintf("output 0-%d", n)},
		{exited(137), "kill, read"},
		{lines(n), "tail"},
		{torn(n, ""), fmt.Sprintf("output %d-%d cut-off call, close, ended(137)", n, n)},
	})
	if open := s.translator.OpenCalls(); open != 0 {
		t.Errorf("%d calls are still open for the next run", open)
	}
}

// The translator's state after a batch is sent with the batch, so that a reader that
// begins behind it translates as if it had read everything.
func TestRunHandsOverTheTranslatorsState(t *testing.T) {
	start := `{"type":"stream_event","event":{"type":"message_start","message":{"id":"m"}}}`
	block := `{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}},"api_message_id":"m"}`
	delta := `{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}},"api_message_id":"m"}`
	whole, _ := runWith(9).step(dawn, agentUp{record: messages.RunRecord{Run: 3}})
	whole, first := whole.step(dawn, lines(0, start, block))
	at := first[0].(toSession).message.(Output)

	carried, err := claude.ParseState(at.Translator)
	if err != nil {
		t.Fatal(err)
	}
	again := runWith(9)
	again.offset, again.translator = at.To, carried
	again, _ = again.step(dawn, agentUp{record: messages.RunRecord{Run: 3}, adopted: true})

	texts := func(s state) []string {
		_, effects := s.step(dawn, lines(at.To, delta))
		var all []string
		for _, item := range effects[0].(toSession).message.(Output).Items {
			if d, ok := item.(claude.Draft); ok {
				all = append(all, d.Event.GetTextDelta().GetBlockId()+": "+textOf(d.Event))
			}
		}
		return all
	}
	if got, want := texts(again), texts(whole); !slices.Equal(got, want) || len(want) != 1 {
		t.Errorf("the next incarnation shows %q, this one %q", got, want)
	}
}

func textOf(e *pb.AgentEvent) string { return e.GetTextDelta().GetText() }
