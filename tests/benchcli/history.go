package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// prose generates texts with the word frequencies of a natural language, with identifiers and paths between the words.
// It is deterministic.
type prose struct {
	random *rand.Rand
	zipf   *rand.Zipf
}

func newProse() *prose {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // texts, no secrets
	return &prose{r, rand.NewZipf(r, 1.1, 4, 200_000)}
}

// text returns so many words.
func (p *prose) text(words int) string {
	var out strings.Builder
	for range words {
		switch p.random.IntN(12) {
		case 0:
			out.WriteString("read" + strings.ToUpper(p.word()[:1]) + p.word() + " ")
		case 1:
			out.WriteString(p.path() + " ")
		default:
			out.WriteString(p.word() + " ")
		}
	}
	return out.String()
}

func (p *prose) word() string { return wordOf(p.zipf.Uint64()) }

func (p *prose) path() string { return "/src/" + p.word() + "/" + p.word() + ".go" }

// wordOf returns a word by its rank, the most frequent one first.
func wordOf(rank uint64) string {
	const consonants, vowels = "bcdfghklmnprstvz", "aeiou"
	word := ""
	for n := rank + 17; n > 0; n /= 80 {
		word += string(consonants[n%16]) + string(vowels[n/16%5])
	}
	return word
}

// turnEvents is how many events a turn has.
const turnEvents = 10

// turn returns the events of one turn: a message, an answer in five pieces, a call and its result, and the end.
func (p *prose) turn(id messages.SessionID, first messages.Seq, at time.Time) []messages.Event {
	block, call := fmt.Sprintf("msg_%d/0", first), fmt.Sprintf("toolu_%d", first)
	input := &structpb.Struct{Fields: map[string]*structpb.Value{
		"command": structpb.NewStringValue("go test " + p.text(6)), "file_path": structpb.NewStringValue(p.path()),
	}}
	events := []*pb.AgentEvent{{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: p.text(20)}}}}
	for piece := range 5 {
		events = append(events, &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: p.text(12), BlockId: block, IsComplete: piece == 4}}})
	}
	events = append(events,
		&pb.AgentEvent{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: call, ToolName: "Bash", Description: "run the tests", Input: input}}},
		&pb.AgentEvent{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: call, Output: p.text(50)}}},
		&pb.AgentEvent{Event: &pb.AgentEvent_Usage{Usage: &pb.UsageReport{InputTokens: 1000, OutputTokens: 200, CostUsd: 0.042}}},
		&pb.AgentEvent{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{StopReason: "end_turn"}}},
	)
	out := make([]messages.Event, 0, turnEvents)
	for i, e := range events {
		seq := first + messages.Seq(i) //nolint:gosec // there are ten
		e.Sequence, e.SessionId, e.Timestamp = uint64(seq), string(id), timestamppb.New(at)
		raw, err := proto.Marshal(e)
		if err != nil {
			panic(err) // a message made here has no invalid text
		}
		out = append(out, messages.Event{Seq: seq, Bytes: raw})
	}
	return out
}
