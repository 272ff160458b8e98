package lines

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"
)

var update = flag.Bool("update", false, "write the golden lines")

const session = "0b0e8a10-0000-4000-8000-00000000000a"

// TestTurn converts a turn with every kind of event.
func TestTurn(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("testdata/turn.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	w := New(session)
	for line := range strings.Lines(string(script)) {
		raw, ok := strings.CutPrefix(line, "+ ")
		if !ok {
			continue
		}
		got.WriteString(line)
		e := &pb.AgentEvent{}
		if err := protojson.Unmarshal([]byte(raw), e); err != nil {
			t.Fatal(line, err)
		}
		for _, l := range w.Lines(e) {
			fmt.Fprintf(&got, "%d.%d %s %s %s\n", l.Sequence, l.Index, l.At.Format("05.000000"), l.Kind, l.JSON)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/turn.txt", []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(script), got.String()); diff != "" {
		t.Error(diff)
	}
}

// For any events, the lines are JSON objects on one line with rising times, and a replay gives the same.
func TestAnyEvents(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		once, again, last := New(session), New(session), Line{}
		for i, e := range anyEvents(rand.New(rand.NewPCG(seed, 1))) {
			a, b := once.Lines(e), again.Lines(e)
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d, event %d:\n%v\n%v", seed, i, a, b)
			}
			for n, l := range a {
				var of map[string]any
				if err := json.Unmarshal(l.JSON, &of); err != nil || of["type"] != l.Kind || bytes.ContainsRune(l.JSON, '\n') {
					t.Fatalf("seed %d: %s %v", seed, l.JSON, err)
				}
				if !l.At.After(last.At) || l.Sequence != e.GetSequence() || l.Index != n {
					t.Fatalf("seed %d: %v follows %v", seed, l, last)
				}
				last = l
			}
		}
	}
}

// Events that are not journaled have no line, since they may be lost.
func TestVolatileEventsHaveNoLine(t *testing.T) {
	t.Parallel()
	w := New(session)
	for _, e := range anyEvents(rand.New(rand.NewPCG(7, 7))) {
		e.Sequence = 0
		if all := w.Lines(e); len(all) > 0 {
			t.Errorf("%v has %s", e, all[0].JSON)
		}
	}
}

// Events of a daemon with a failing journal are sent again when they are journaled, and count once.
func TestVolatileTextCountsOnce(t *testing.T) {
	t.Parallel()
	w := New(session)
	var all []Line
	for _, e := range []*pb.AgentEvent{
		{Volatile: true, Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: "he", BlockId: "m/0"}}},
		{Sequence: 7, Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: "he", BlockId: "m/0"}}},
		{Volatile: true, Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: "llo", BlockId: "m/0", IsComplete: true}}},
		{Sequence: 8, Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: "llo", BlockId: "m/0", IsComplete: true}}},
	} {
		all = append(all, w.Lines(e)...)
	}
	if len(all) != 1 || !strings.Contains(string(all[0].JSON), `"text":"hello"`) {
		t.Errorf("lines %v", all)
	}
}

func anyEvents(r *rand.Rand) []*pb.AgentEvent {
	var all []*pb.AgentEvent
	for seq := range uint64(60) {
		e := &pb.AgentEvent{Sequence: seq + 1, Timestamp: &timestamppb.Timestamp{Seconds: 1000 + r.Int64N(3)}}
		id := fmt.Sprint(r.IntN(3))
		switch r.IntN(10) {
		case 0:
			e.Event = &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "a\u2028<b>\n\xff", Attachments: []*pb.AttachedFile{{MimeType: "image/png"}}}}
		case 1, 2, 3:
			e.Event = &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{
				Text: "x", BlockId: "m" + id + "/" + id, IsComplete: r.IntN(3) == 0, Withdrawn: r.IntN(8) == 0, Thinking: r.IntN(4) == 0,
			}}
		case 4:
			e.Event = &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: id, ToolName: "Bash", Withdrawn: r.IntN(9) == 0}}
		case 5:
			e.Event = &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: id}}
		case 6:
			e.Event = &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{IsError: r.IntN(2) == 0, Error: "x"}}
		case 7:
			e.Event = &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Message: "x"}}
		case 8:
			e.Event = &pb.AgentEvent_Run{Run: &pb.RunEvent{State: pb.RunState(r.IntN(5))}}
		case 9:
			e.Event = &pb.AgentEvent_Retraction{Retraction: &pb.Retraction{}}
		}
		if r.IntN(4) == 0 {
			e.ParentToolUseId = "parent"
		}
		all = append(all, e)
	}
	return all
}

func TestNote(t *testing.T) {
	t.Parallel()
	if got := string(Note("**a** <b>")); got != `{"type":"portal","content":[{"type":"text","text":"**a** <b>"}]}` {
		t.Error(got)
	}
}
