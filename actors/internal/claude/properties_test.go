package claude

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
)

// step translates a line and checks everything that holds for any line: the
// state that went in is as it was, it may take the way through its encoding, and
// what came out is allowed.
func step(s State, line []byte, at time.Time, c *checker) (State, []Item, error) {
	before, given := s.Marshal(), bytes.Clone(line)
	next, items := Translate(s, line, at)
	after := next.Marshal()

	if !bytes.Equal(line, given) {
		return next, items, fmt.Errorf("the line was written to")
	}
	parsed, err := ParseState(before)
	if err != nil {
		return next, items, err
	}
	next2, items2 := Translate(parsed, line, at)
	if !bytes.Equal(next2.Marshal(), after) || !slices.EqualFunc(items, items2, sameItem) {
		return next, items, fmt.Errorf("a state that was encoded gives something else")
	}
	if !bytes.Equal(s.Marshal(), before) {
		return next, items, fmt.Errorf("the old state has changed")
	}
	Translate(next, []byte(`{"type":"assistant","message":{"id":"other","content":[{"type":"tool_use","id":"other","name":"TodoWrite","input":{"todos":[{"content":"x"}]}}]}}`), at)
	if !bytes.Equal(next.Marshal(), after) {
		return next, items, fmt.Errorf("the new state is shared")
	}
	if len(after) > maxState {
		return next, items, fmt.Errorf("a state of %d bytes", len(after))
	}
	return next, items, c.check(items)
}

// maxState bounds an encoded state, whatever the agent has written.
const maxState = 1 << 20

func sameItem(a, b Item) bool {
	d, ok := a.(Draft)
	e, ok2 := b.(Draft)
	if ok && ok2 {
		return proto.Equal(d.Event, e.Event)
	}
	return render(a) == render(b)
}

func TestTranscriptsKeepTheRules(t *testing.T) {
	for name, entries := range transcripts(t) {
		var s State
		c := newChecker()
		for n, e := range entries {
			var err error
			switch e.Dir {
			case "out":
				s, _, err = step(s, e.Line, e.at(), c)
			case "exit":
				err = c.end(s)
				s, _ = EndRun(s, e.at())
			}
			if err != nil {
				t.Fatalf("%s:%d: %v", name, n+1, err)
			}
		}
	}
}

// fragments are lines about few messages, calls and tasks, so that they meet.
func fragments(t testing.TB) [][]byte {
	var all [][]byte
	for _, story := range stories(t) {
		for _, l := range story {
			all = append(all, []byte(l))
		}
	}
	for _, parent := range []string{"null", `"t0"`} {
		for _, m := range []string{"m1", "m2"} {
			for i := range 3 {
				for _, f := range []string{
					`{"type":"stream_event","event":{"type":"message_start","message":{"id":"%[1]s"}},"api_message_id":"%[1]s","parent_tool_use_id":%[3]s}`,
					`{"type":"stream_event","event":{"type":"content_block_start","index":%[2]d,"content_block":{"type":"text","text":"+"}},"api_message_id":"%[1]s","parent_tool_use_id":%[3]s}`,
					`{"type":"stream_event","event":{"type":"content_block_start","index":%[2]d,"content_block":{"type":"tool_use","id":"t%[2]d","name":"TaskCreate"}},"api_message_id":"%[1]s","parent_tool_use_id":%[3]s}`,
					`{"type":"stream_event","event":{"type":"content_block_delta","index":%[2]d,"delta":{"type":"text_delta","text":"x"}},"api_message_id":"%[1]s","parent_tool_use_id":%[3]s}`,
					`{"type":"stream_event","event":{"type":"content_block_delta","index":%[2]d,"delta":{"type":"thinking_delta","thinking":"x"}},"parent_tool_use_id":%[3]s}`,
					`{"type":"content_block_delta","index":%[2]d,"delta":{"type":"input_json_delta","partial_json":"{"},"parent_tool_use_id":%[3]s}`,
					`{"type":"stream_event","event":{"type":"content_block_stop","index":%[2]d},"api_message_id":"%[1]s","parent_tool_use_id":%[3]s}`,
					`{"type":"stream_event","event":{"type":"message_stop"},"api_message_id":"%[1]s","parent_tool_use_id":%[3]s}`,
					`{"type":"stream_event","event":{"type":"message_stop"},"api_message_id":"%[1]s","parent_tool_use_id":%[3]s,"abandoned_blocks":{"api_message_id":"%[1]s","from_block_index":%[2]d}}`,
					`{"type":"assistant","message":{"id":"%[1]s","content":[{"type":"text","text":"x"}]},"parent_tool_use_id":%[3]s}`,
					`{"type":"assistant","message":{"id":"%[1]s","content":[{"type":"tool_use","id":"t%[2]d","name":"TaskUpdate","input":{"taskId":"%[2]d","subject":"s","status":"completed"}}]},"parent_tool_use_id":%[3]s}`,
					`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t%[2]d","content":"ok"}]},"tool_use_result":{"task":{"id":"%[2]d","subject":"s"}},"parent_tool_use_id":%[3]s}`,
					`{"type":"system","subtype":"task_notification","task_id":"%[1]s","tool_use_id":"t%[2]d","status":"completed"}`,
				} {
					all = append(all, fmt.Appendf(nil, f, m, i, parent))
				}
			}
		}
	}
	return all
}

func TestAnySequenceKeepsTheRules(t *testing.T) {
	all := fragments(t)
	seeds := uint64(150)
	if raceEnabled {
		seeds /= 10
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		var s State
		c := newChecker()
		var story []string
		for range 60 {
			l := all[r.IntN(len(all))]
			story = append(story, string(l))
			var err error
			if s, _, err = step(s, l, recorded, c); err != nil {
				t.Fatalf("seed %d: %v after\n%s", seed, err, strings.Join(story, "\n"))
			}
		}
		if err := c.end(s); err != nil {
			t.Fatalf("seed %d: %v after\n%s", seed, err, strings.Join(story, "\n"))
		}
	}
}

// TestStateIsBounded has an agent without any limit: everything begins, nothing ends, and
// every name is new, long and full of characters that are long when encoded. When every
// list is full the state grows no more: a byte for each line of one form would show.
func TestStateIsBounded(t *testing.T) {
	whole(t)
	const full, lines, first = 1_800, 5_400, 1_000_000 // no number has another digit meanwhile
	long := strings.Repeat(`\"\\\u0001é`, 2*maxCarried/5)
	forms := []string{
		`{"type":"stream_event","event":{"type":"content_block_start","index":%[1]d,"content_block":{"type":"tool_use","id":"%[2]s%[1]d","name":"%[2]s"}},"api_message_id":"%[1]d%[2]s","session_id":"%[1]d"}`,
		`{"type":"stream_event","event":{"type":"content_block_start","index":%[1]d,"content_block":{"type":"text","text":"x"}},"api_message_id":"m"}`,
		`{"type":"content_block_delta","index":%[1]d,"delta":{"type":"input_json_delta","partial_json":"%[2]s"},"parent_tool_use_id":"p%[1]d"}`,
		`{"type":"assistant","message":{"id":"a","content":[{"type":"tool_use","id":"%[1]d%[2]s","name":"TaskUpdate","input":{"taskId":"%[1]d%[2]s","subject":"%[2]s","description":"%[2]s","activeForm":"%[2]s","status":"%[2]s"}}]},"parent_tool_use_id":"%[2]s"}`,
		`{"type":"assistant","message":{"id":"%[1]d%[2]s","content":[{"type":"tool_use","id":"same","name":"TaskCreate","input":{}}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"same"}]},"tool_use_result":{"task":{"id":"%[1]d%[2]s","subject":"%[2]s","description":"%[2]s"}}}`,
		`{"type":"system","subtype":"task_started","task_id":"%[1]d%[2]s","tool_use_id":"%[2]s","task_type":"%[2]s","description":"%[2]s"}`,
		`{"type":"system","subtype":"init","permissionMode":"%[1]d%[2]s","model":"%[1]d%[2]s"}`,
		`%[1]d %[2]s`,
	}
	var s State
	filled, most := 0, 0
	for n := range lines {
		s, _ = Translate(s, fmt.Appendf(nil, forms[n%len(forms)], first+n, long), recorded)
		if n%49 == 0 || n > full-3*len(forms) && n <= full {
			most = max(most, len(s.Marshal()))
		}
		if n == full {
			filled = most
		}
	}
	if most > maxState || most > filled+(lines-full)/len(forms) {
		t.Errorf("a state of %d bytes, of %d when every list was full", most, filled)
	}
	if c := s.Counters(); c.Lines != lines {
		t.Errorf("%d lines counted of %d", c.Lines, lines)
	}
	t.Logf("at most %d bytes, %d when every list was full", most, filled)
}
