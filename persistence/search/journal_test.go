package search

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

var dawn = time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)

// journal is a journal in memory.
type journal struct {
	lineage  string
	sessions map[messages.SessionID]*history
	clock    time.Time
}

type history struct {
	outline messages.SessionOutline
	events  []messages.Event
}

func newJournal() *journal {
	return &journal{lineage: "l", sessions: map[messages.SessionID]*history{}, clock: dawn}
}

func (j *journal) Lineage() string { return j.lineage }

func (j *journal) Events(id messages.SessionID, after messages.Seq, maxEvents, _ int) ([]messages.Event, error) {
	h := j.sessions[id]
	if h == nil {
		return nil, messages.Errorf("read events", messages.NotFound, "no session %s", id)
	}
	at := min(max(after, h.outline.LowWater), h.outline.Head)
	rest := h.events[at:]
	return slices.Clone(rest[:min(maxEvents, len(rest))]), nil
}

func (j *journal) Salvaged(id messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, *messages.HistoryGap, error) {
	events, err := j.Events(id, after, maxEvents, maxBytes)
	return events, nil, err
}

func (j *journal) Outline(id messages.SessionID) (messages.SessionOutline, bool) {
	h := j.sessions[id]
	if h == nil {
		return messages.SessionOutline{}, false
	}
	return h.outline, true
}

func (j *journal) Outlines() []messages.SessionOutline {
	var all []messages.SessionOutline
	for _, h := range j.sessions {
		all = append(all, h.outline)
	}
	return all
}

// append adds events to a session, a minute apart.
func (j *journal) append(id messages.SessionID, events ...*pb.AgentEvent) {
	h := j.sessions[id]
	if h == nil {
		h = &history{outline: messages.SessionOutline{ID: id, Name: "name of " + string(id), Directory: "/work"}}
		j.sessions[id] = h
	}
	for _, e := range events {
		h.outline.Head++
		j.clock = j.clock.Add(time.Minute)
		e.Sequence, e.Timestamp = uint64(h.outline.Head), timestamppb.New(j.clock)
		raw, err := proto.Marshal(e)
		if err != nil {
			panic(err)
		}
		h.events = append(h.events, messages.Event{Seq: h.outline.Head, Bytes: raw})
	}
}

func said(text string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: text}}}
}

func piece(block, text string, complete bool) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: block, Text: text, IsComplete: complete}}}
}

func called(id, tool string, input map[string]any) *pb.AgentEvent {
	fields, err := structpb.NewStruct(input)
	if err != nil {
		panic(err)
	}
	return &pb.AgentEvent{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: id, ToolName: tool, Input: fields}}}
}

func returned(id, output string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: id, Output: output}}}
}

// opened returns an index of the journal that has all its events.
func opened(t testing.TB, j *journal, directory string) *Index {
	t.Helper()
	x, _, err := Open(Options{Directory: directory, Journal: j})
	if err != nil {
		t.Fatal(err)
	}
	catchUp(t, x)
	return x
}

type fataler interface {
	Helper()
	Fatal(args ...any)
}

func catchUp(t fataler, x *Index) {
	t.Helper()
	for _, id := range x.Lagging() {
		for more := true; more; {
			var err error
			if more, err = x.Advance(id, 1000); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// hits returns "session:number" of what is found.
func hits(t fataler, x *Index, m messages.Search) []string {
	t.Helper()
	if m.Limit == 0 {
		m.Limit = MaxHits
	}
	m.ByTime = true
	found, err := x.Find(background, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, h := range found.Hits {
		all = append(all, fmt.Sprintf("%s:%d", h.Session, h.Seq))
	}
	return all
}
