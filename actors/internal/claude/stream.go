package claude

import (
	"encoding/json"
	"slices"
	"strconv"

	"google.golang.org/protobuf/types/known/timestamppb"

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

// streamedBlock returns the message and the place in it of the block of a streaming event;
// the place is -1 if the block is unknown.
func (t *translation) streamedBlock(e *streamEvent) (m, b, index int) {
	m, index = t.streamed(), clampInt(e.Index, 1<<20)
	b = slices.IndexFunc(t.s.d.Messages[m].Blocks, func(b block) bool { return b.Index == index })
	return m, b, index
}

func (t *translation) blockStart(e *streamEvent) {
	m, b, index := t.streamedBlock(e)
	if b >= 0 { // a second start: the first block of that name is over
		t.dropBlock(m, b)
	}
	if e.ContentBlock == nil {
		e.ContentBlock = &contentBlock{}
	}
	c := e.ContentBlock
	nb := block{Index: index, Kind: kindOf(c.Type)}
	if nb.Kind == kindTool {
		nb.Tool, nb.Name = key(c.ID), key(c.Name)
	}
	b = t.addBlock(m, nb)
	switch nb.Kind {
	case kindText:
		t.showText(m, b, c.Text)
	case kindThinking:
		t.showText(m, b, c.Thinking)
	}
}

func (t *translation) addBlock(m int, b block) int {
	msg := t.s.message(m)
	msg.Next = max(msg.Next, b.Index+1)
	msg.Blocks = with(msg.Blocks, b, maxBlocks)
	return len(msg.Blocks) - 1
}

func (t *translation) dropBlock(m, b int) {
	t.completeBlock(m, b)
	msg := t.s.message(m)
	msg.Blocks = without(msg.Blocks, b)
}

func (t *translation) blockDelta(e *streamEvent, bare bool) {
	if e.Delta == nil {
		t.keepRaw(reasonShape)
		return
	}
	var kind, text string
	switch d := e.Delta; d.Type {
	case "text_delta":
		kind, text = kindText, d.Text
	case "thinking_delta":
		kind, text = kindThinking, d.Thinking
	case "input_json_delta":
		kind = kindTool
	case "signature_delta", "citations_delta":
		return
	default:
		t.keepRaw(reasonEvent)
		return
	}
	m, b, index := t.streamedBlock(e)
	if b >= 0 && t.s.d.Messages[m].Blocks[b].Kind != kind { // its start was missed
		t.dropBlock(m, b)
		b = -1
	}
	if b < 0 {
		b = t.addBlock(m, block{Index: index, Kind: kind})
	}
	switch {
	case kind != kindTool:
		t.showText(m, b, text)
	case bare: // no assistant line will have the arguments
		bl := &t.s.message(m).Blocks[b]
		if len(bl.Partial)+len(e.Delta.JSON) > maxPartial {
			bl.Partial, bl.Spilled = "", true
		} else if !bl.Spilled {
			bl.Partial += e.Delta.JSON
		}
	}
}

// showText drafts text of a block that is being streamed.
func (t *translation) showText(m, b int, text string) {
	if text == "" {
		return
	}
	if bl := &t.s.d.Messages[m].Blocks[b]; !bl.Shown || bl.Done {
		bl = &t.s.message(m).Blocks[b]
		bl.Shown, bl.Done = true, false
	}
	t.text(m, t.s.d.Messages[m].Blocks[b], text, false)
}

// text drafts text of a block, in pieces that fit.
func (t *translation) text(m int, b block, text string, complete bool) {
	msg := &t.s.d.Messages[m]
	pieces := chunks(text)
	for i, piece := range pieces {
		t.draftFor(msg.Parent, t.textDelta(msg.ID, b, piece, complete && i == len(pieces)-1))
	}
	if b.Kind == kindText && msg.Parent == "" && !t.s.d.Said {
		t.s.d.Said = true
	}
}

// textDelta allocates its four parts at once, because no other event is as frequent.
func (t *translation) textDelta(message string, b block, text string, complete bool) *betcodev1.AgentEvent {
	e := new(struct {
		event betcodev1.AgentEvent
		kind  betcodev1.AgentEvent_TextDelta
		delta betcodev1.TextDelta
		at    timestamppb.Timestamp
	})
	e.event.Event, e.event.Timestamp, e.kind.TextDelta = &e.kind, &e.at, &e.delta
	e.delta.IsComplete, e.delta.BlockId, e.delta.Thinking = complete, t.named.of(message, b.Index), b.Kind == kindThinking
	if e.delta.Thinking { // clients that do not know the field print text as the answer
		e.delta.ThinkingText = text
	} else {
		e.delta.Text = text
	}
	return &e.event
}

func blockID(message string, index int) string { return message + "/" + strconv.Itoa(index) }

// completeBlock ends a block of text, unless its end was drafted before.
func (t *translation) completeBlock(m, b int) {
	msg := &t.s.d.Messages[m]
	bl := msg.Blocks[b]
	if bl.Done {
		return
	}
	if bl.Shown && (bl.Kind == kindText || bl.Kind == kindThinking) {
		t.draftFor(msg.Parent, t.textDelta(msg.ID, bl, "", true))
	}
	t.s.message(m).Blocks[b].Done = true
}

func (t *translation) blockStop(e *streamEvent, bare bool) {
	m, b, _ := t.streamedBlock(e)
	if b < 0 {
		return
	}
	if bl := t.s.d.Messages[m].Blocks[b]; bare && bl.Kind == kindTool && !bl.Shown && bl.Tool != "" {
		t.announceStreamed(m, b)
	}
	t.completeBlock(m, b)
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

func kindOf(blockType string) string {
	switch blockType {
	case "text":
		return kindText
	case "thinking":
		return kindThinking
	case "tool_use", "server_tool_use", "mcp_tool_use":
		return kindTool
	}
	return kindOther
}
