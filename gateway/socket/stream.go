package socket

import (
	"slices"
	"strconv"
	"strings"

	pb "betcode/proto/betcode/v1"
)

// message is a message of the model that is being streamed. The journal has its pieces; message
// adds the stream events around them, in the order in which the model sends them.
type message struct {
	parent string // call of the writing subagent; empty for the agent
	id     string
	begun  bool
	called bool // the message calls a tool
	blocks map[int]*strings.Builder
}

// message returns the open message of an agent. Another id begins a new message; an empty id continues the open one.
func (t *translator) message(parent, id string) *message {
	at := slices.IndexFunc(t.open, func(m *message) bool { return m.parent == parent })
	if at >= 0 {
		if m := t.open[at]; id == "" || m.id == id {
			return m
		}
		t.closeMessage(t.open[at])
		t.open = slices.Delete(t.open, at, at+1)
	}
	m := &message{parent: parent, id: id, blocks: map[int]*strings.Builder{}}
	t.open = append(t.open, m)
	if parent == "" {
		t.turns++
	}
	return m
}

// delta streams a piece of a block, and ends the block with its whole text.
func (t *translator) delta(parent string, d *pb.TextDelta) {
	id, index := blockOf(d.GetBlockId())
	if d.GetWithdrawn() {
		t.withdraw(parent, id)
		return
	}
	t.system()
	m := t.message(parent, id)
	if !m.begun {
		m.begun = true
		t.stream(messageStart{"message_start", modelMessage{id, "message", "assistant", t.model, []any{}}})
	}
	text := m.blocks[index]
	if text == nil {
		text = &strings.Builder{}
		m.blocks[index] = text
		t.stream(blockStart{"content_block_start", index, emptyBlock(d.GetThinking())})
	}
	if d.GetThinking() && d.GetThinkingText() != "" {
		t.stream(blockDelta{"content_block_delta", index, piece{Type: "thinking_delta", Thinking: d.GetThinkingText()}})
	}
	if d.GetText() != "" {
		text.WriteString(d.GetText())
		t.stream(blockDelta{"content_block_delta", index, piece{Type: "text_delta", Text: d.GetText()}})
	}
	if !d.GetIsComplete() {
		return
	}
	if whole := text.String(); whole != "" {
		t.put(assistantText{t.head("assistant_text"), t.uuid("text/" + d.GetBlockId()), whole})
		if parent == "" {
			t.answer = &whole
		}
	}
	t.stream(blockStop{"content_block_stop", index})
	text.Reset()
}

func (t *translator) stream(event any) {
	t.put(streamDelta{t.head("stream_delta"), t.lineUUID(), event})
}

// withdraw drops a message that the agent retracted while it was streamed. The protocol has no line
// for that; the replacing message follows.
func (t *translator) withdraw(parent, id string) {
	t.open = slices.DeleteFunc(t.open, func(m *message) bool { return m.parent == parent && m.id == id })
}

// closeMessages ends all open messages.
func (t *translator) closeMessages() {
	for _, m := range t.open {
		t.closeMessage(m)
	}
	t.open = nil
}

func (t *translator) closeMessage(m *message) {
	if !m.begun {
		return
	}
	reason := "end_turn"
	if m.called {
		reason = "tool_use"
	}
	t.stream(messageDelta{"message_delta", stopReason{Reason: reason}})
	t.stream(messageStop{"message_stop"})
}

func emptyBlock(thinking bool) contentBlock {
	empty := ""
	if thinking {
		return contentBlock{Type: "thinking", Thinking: &empty}
	}
	return contentBlock{Type: "text", Text: &empty}
}

// blockOf splits the id of a block, "<message>/<index>".
func blockOf(id string) (message string, index int) {
	at := strings.LastIndexByte(id, '/')
	if at < 0 {
		return id, 0
	}
	index, err := strconv.Atoi(id[at+1:])
	if err != nil {
		return id, 0
	}
	return id[:at], index
}
