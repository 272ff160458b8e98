package socket

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

// A replayed session has the same lines as before, on which a client that attaches again relies.
func TestReplayGivesTheSameLines(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		events := anyEvents(rand.New(rand.NewPCG(seed, 1)))
		once, again := newTranslator(`"s"`, "session", 0), newTranslator(`"s"`, "session", 0)
		for i, e := range events {
			a, b := linesOf(once, e), linesOf(again, e)
			if !bytes.Equal(a, b) {
				t.Fatalf("seed %d, event %d:\n%s\n%s", seed, i, a, b)
			}
		}
	}
}

// For any events the order of statuses is: processing before system, both before the turn's lines,
// and idle only after processing.
func TestStatusOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		translator := newTranslator(`"s"`, "session", 0)
		busy, systemSent := false, false
		for i, e := range anyEvents(rand.New(rand.NewPCG(seed, 2))) {
			for _, line := range translator.translate(e) {
				ok := true
				switch l := line.(type) {
				case statusLine:
					ok = busy == (l.Status == statusIdle)
					busy, systemSent = l.Status == statusProcessing, false
				case systemLine:
					ok = busy && !systemSent
					systemSent = true
				case assistantText, streamDelta, permissionRequest, questionLine, resultLine, toolUse:
					ok = busy && systemSent
				}
				if !ok {
					t.Fatalf("seed %d, event %d: %#v while busy %t, systemSent %t", seed, i, line, busy, systemSent)
				}
			}
		}
	}
}

// Events of a daemon with a failing journal are sent again when they are journaled, and have no effect before.
func TestVolatileEventsHaveNoLine(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		once, again := newTranslator(`"s"`, "session", 0), newTranslator(`"s"`, "session", 0)
		for i, e := range anyEvents(r) {
			if r.IntN(3) == 0 {
				early := proto.CloneOf(e)
				early.Sequence, early.Volatile = 0, true
				if lines := again.translate(early); len(lines) > 0 {
					t.Fatalf("seed %d, event %d has %v while it is volatile", seed, i, lines)
				}
			}
			if a, b := linesOf(once, e), linesOf(again, e); !bytes.Equal(a, b) {
				t.Fatalf("seed %d, event %d:\n%s\n%s", seed, i, a, b)
			}
		}
	}
}

// Numbers of requests are unique, even if the beginning of the history is not replayed.
func TestNumbersBehindACompactedHistory(t *testing.T) {
	t.Parallel()
	whole, part := newTranslator(`"s"`, "session", 0), newTranslator(`"s"`, "session", 50)
	seen := map[string]string{}
	for i := range 100 {
		e := permissionEvent(uint64(i+1), fmt.Sprintf("r%d", i))
		whole.translate(e)
		if i >= 50 {
			part.translate(e)
		}
	}
	for number, p := range whole.requests.prompts {
		seen[number] = p.request
	}
	for number, p := range part.requests.prompts {
		if was, taken := seen[number]; taken && was != p.request {
			t.Errorf("%s was %s, and is %s", number, was, p.request)
		}
	}
}

func linesOf(translator *translator, e *pb.AgentEvent) (out []byte) {
	for _, line := range translator.translate(e) {
		out = encode(out, line)
	}
	return out
}

func permissionEvent(seq uint64, request string) *pb.AgentEvent {
	return &pb.AgentEvent{Sequence: seq, Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: request, ToolName: "Bash"}}}
}

// anyEvents returns events in an order that no agent would choose.
func anyEvents(r *rand.Rand) []*pb.AgentEvent {
	var all []*pb.AgentEvent
	for seq := range uint64(40) {
		e := &pb.AgentEvent{Sequence: seq + 1}
		id := fmt.Sprint(r.IntN(3))
		switch r.IntN(11) {
		case 0:
			e.Event = &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{}}
		case 1:
			e.Event = &pb.AgentEvent_StatusChange{StatusChange: &pb.StatusChange{Status: pb.AgentStatus(r.IntN(7))}}
		case 2, 3:
			e.Event = &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{
				Text: "x", BlockId: "m" + id + "/" + id, IsComplete: r.IntN(3) == 0, Withdrawn: r.IntN(8) == 0, Thinking: r.IntN(4) == 0,
			}}
		case 4:
			e.Event = &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: id, ToolName: "AskUserQuestion"}}
		case 5:
			e.Event = &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: id}}
		case 6:
			e = permissionEvent(seq+1, id)
		case 7:
			e.Event = &pb.AgentEvent_UserQuestion{UserQuestion: &pb.UserQuestion{QuestionId: "q" + id + "/0"}}
		case 8:
			e.Event = &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{RequestId: id, SupersededBy: "r" + id}}
		case 9:
			e.Event = &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{IsError: r.IntN(2) == 0}}
		case 10:
			e.Event = &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Message: "x"}}
		}
		if r.IntN(4) == 0 {
			e.ParentToolUseId = "parent"
		}
		all = append(all, e)
	}
	return all
}

// Clients may store uuids, so they are of version 5.
func TestUUIDIsOfVersion5(t *testing.T) {
	tr := newTranslator("a", "session", 0)
	for _, about := range []string{"", "call/toolu_1", strings.Repeat("é", 500)} {
		if got, want := tr.uuid(about), uuid.NewSHA1(uuids, []byte("session/"+about)).String(); got != want {
			t.Errorf("uuid of %.20q: %s instead of %s", about, got, want)
		}
	}
}
