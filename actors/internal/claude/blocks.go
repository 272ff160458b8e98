package claude

import (
	"slices"
	"strconv"

	"google.golang.org/protobuf/types/known/timestamppb"

	betcodev1 "betcode/proto/betcode/v1"
)

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
