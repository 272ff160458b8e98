package claude

import (
	"encoding/json"
	"slices"

	betcodev1 "betcode/proto/betcode/v1"
)

// bareEvent translates a streaming event that is a line of its own, as in older
// versions.
func (t *translation) bareEvent() {
	e := streamEvent{Type: t.l.Type, Index: t.l.Index, Delta: t.l.Delta, ContentBlock: t.l.ContentBlock}
	if len(t.l.Message) > 0 {
		e.Message = new(message)
		if err := json.Unmarshal(t.l.Message, e.Message); err != nil {
			t.keepRaw(reasonShape)
		}
	}
	t.stream(&e, true)
}

// stream translates one streaming event of the API.
func (t *translation) stream(e *streamEvent, bare bool) {
	switch e.Type {
	case "message_start":
		t.messageStart(e)
	case "content_block_start":
		t.blockStart(e)
	case "content_block_delta":
		t.blockDelta(e, bare)
	case "content_block_stop":
		t.blockStop(e, bare)
	case "message_delta":
		if t.main() {
			t.s.d.Context += clampInt(e.Usage.Output, uint64(1<<32))
		}
	case "message_stop":
		t.messageStop()
	case "error":
		t.notice("STREAM_ERROR", e.Error.Message, "type", e.Error.Type)
	case "ping":
	default:
		t.keepRaw(reasonEvent)
	}
}

func (t *translation) messageStart(e *streamEvent) {
	id := t.l.APIMessage
	if e.Message != nil {
		if id == "" {
			id = e.Message.ID
		}
		t.sawModel(e.Message.Model)
		t.sawContext(e.Message.Usage)
	}
	for i := range t.s.d.Messages { // one without a message_stop
		if m := &t.s.d.Messages[i]; m.Open && m.Parent == key(t.l.Parent) {
			t.finishMessage(i, false)
		}
	}
	if id == "" {
		id = t.s.newID()
	}
	if i := t.s.findMessage(key(id), ""); i >= 0 {
		t.s.message(i).Open = true
	} else {
		t.s.addMessage(carried{ID: key(id), Parent: key(t.l.Parent), Open: true})
	}
	t.hint(betcodev1.AgentStatus_THINKING)
}

// streamed returns the index of the message of a streaming event. It adds a message if the
// event's message is unknown.
func (t *translation) streamed() int {
	i := t.s.findMessage(key(t.l.APIMessage), key(t.l.Parent))
	if i < 0 {
		id := t.l.APIMessage
		if id == "" {
			id = t.s.newID()
		}
		i = t.s.addMessage(carried{ID: key(id), Parent: key(t.l.Parent), Open: true})
	}
	return i
}

// announceStreamed announces a tool call that no assistant line has announced.
func (t *translation) announceStreamed(m, b int) {
	msg := &t.s.d.Messages[m]
	bl := msg.Blocks[b]
	t.announce(bl.Tool, bl.Name, json.RawMessage(bl.Partial), msg.Parent)
	changed := &t.s.message(m).Blocks[b]
	changed.Shown, changed.Done, changed.Lined, changed.Partial = true, true, true, ""
}

func (t *translation) messageStop() {
	m := t.s.findMessage(key(t.l.APIMessage), key(t.l.Parent))
	if a := t.l.Abandoned; a != nil {
		if a.Message != "" && (m < 0 || key(a.Message) != t.s.d.Messages[m].ID) {
			m = t.s.findMessage(key(a.Message), "")
		}
		t.withdraw(m, a)
	}
	if m >= 0 {
		t.finishMessage(m, true)
	}
}

// withdraw withdraws the blocks of a message from one on.
func (t *translation) withdraw(m int, a *abandoned) {
	from := clampInt(a.From, 1<<20)
	if m < 0 { // dropped from the state: clients may have seen it
		if a.Message != "" {
			t.withdrawText(t.l.Parent, key(a.Message), block{Index: from})
		}
		return
	}
	msg := t.s.d.Messages[m]
	first := block{Index: -1}
	var kept []block
	for _, b := range msg.Blocks {
		switch {
		case b.Index < from:
			kept = append(kept, b)
		case !b.Shown:
		case b.Kind == kindTool:
			t.withdrawCall(b.Tool, b.Name, msg.Parent)
		case first.Index < 0 || b.Index < first.Index:
			first = b
		}
	}
	if first.Index >= 0 { // the later ones are withdrawn with it
		t.withdrawText(msg.Parent, msg.ID, first)
	}
	t.s.message(m).Blocks = kept
}

func (t *translation) withdrawText(parent, message string, b block) {
	e := t.textDelta(message, b, "", false)
	e.GetTextDelta().Withdrawn = true
	t.draftFor(parent, e)
}

// finishMessage ends everything that a message has left open, and drops blocks that are no
// longer needed: a block is kept until its assistant line was seen. A call that
// was never announced is announced now, if the model has finished it.
func (t *translation) finishMessage(m int, whole bool) {
	for b := range t.s.d.Messages[m].Blocks {
		bl := t.s.d.Messages[m].Blocks[b]
		if whole && bl.Kind == kindTool && !bl.Shown && bl.Tool != "" {
			t.announceStreamed(m, b)
		}
		t.completeBlock(m, b)
	}
	msg := t.s.message(m)
	msg.Open = false
	msg.Blocks = slices.DeleteFunc(msg.Blocks, func(b block) bool { return b.Lined || b.Kind == kindOther })
	if len(msg.Blocks) == 0 {
		msg.Blocks = nil
	}
}
