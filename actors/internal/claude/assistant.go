package claude

import (
	"encoding/json"
	"slices"
	"strings"
)

// assistant translates a line with one or more finished blocks of the model's answer.
// For a block that was streamed it only marks the end. For a block that was not streamed
// (subagents, slash commands, errors of the API, answers in one piece) it has the text.
func (t *translation) assistant() {
	var m message
	if err := json.Unmarshal(t.l.Message, &m); err != nil {
		t.keepRaw(reasonShape)
	}
	t.sawModel(m.Model)
	t.sawContext(m.Usage)
	if t.main() {
		t.s.d.Fault = fault{} // an earlier one has been overcome
	}
	if t.l.Error != "" && t.main() {
		t.s.d.Fault = fault{
			Code:   carry(string(t.l.Error), 64),
			Type:   carry(string(t.l.APIErrorType), 64),
			Status: clampInt(t.l.APIErrorStatus, 999),
		}
	}
	if m.ID == "" {
		m.ID = t.s.newID()
	}
	t.retract(t.l.Supersedes, "superseded")
	for i := range m.Content {
		c := &m.Content[i]
		switch c.Type {
		case "text":
			t.finishedText(m.ID, kindText, c.Text)
			if c.Text != "" {
				t.add(AssistantText{Text: cut(c.Text, maxPreview), Message: m.ID, Parent: t.l.Parent})
			}
		case "thinking":
			t.finishedText(m.ID, kindThinking, c.Thinking)
		case "tool_use", "server_tool_use", "mcp_tool_use":
			t.finishedCall(m.ID, c)
		case "redacted_thinking", "fallback":
			t.finishedOther(m.ID)
		case "":
			t.keepRaw(reasonShape)
		default:
			t.finishedOther(m.ID)
			if strings.HasSuffix(c.Type, "_tool_result") && c.ToolUseID != "" {
				t.toolResult(c)
				continue
			}
			t.keepRaw(reasonBlock)
		}
	}
}

// finishedText ends a block of text, and shows it if it was not streamed.
func (t *translation) finishedText(id, kind, text string) {
	m, b := t.lined(id, kind, "")
	switch bl := t.s.d.Messages[m].Blocks; {
	case b >= 0 && bl[b].Shown:
		t.uttered(utterance{Message: t.s.d.Messages[m].ID, Index: bl[b].Index})
		t.completeBlock(m, b)
	case b >= 0:
		t.uttered(utterance{Message: t.s.d.Messages[m].ID, Index: bl[b].Index})
		if text != "" {
			t.text(m, bl[b], text, true)
		}
		changed := &t.s.message(m).Blocks[b]
		changed.Shown, changed.Done = text != "", true
	default:
		next := t.s.message(m)
		nb := block{Index: next.Next, Kind: kind}
		next.Next++
		t.uttered(utterance{Message: next.ID, Index: nb.Index})
		if text != "" {
			t.text(m, nb, text, true)
		}
	}
}

// finishedCall announces a tool call with all its arguments.
func (t *translation) finishedCall(id string, c *contentBlock) {
	t.uttered(utterance{Tool: key(c.ID)})
	m, b := t.lined(id, kindTool, key(c.ID))
	announced := false
	if b >= 0 {
		bl := &t.s.message(m).Blocks[b]
		announced = bl.Shown
		bl.Shown, bl.Done = true, true
		bl.Tool, bl.Name = key(c.ID), key(c.Name)
	} else {
		t.s.message(m).Next++
	}
	if !announced {
		t.announce(c.ID, c.Name, c.Input, t.l.Parent)
	}
}

// finishedOther ends a block that is not shown.
func (t *translation) finishedOther(id string) {
	m, b := t.lined(id, kindOther, "")
	if b < 0 {
		t.s.message(m).Next++
	}
}

// lined finds the block of an assistant line and marks it as seen: the first of its kind,
// or the call of that id, whose line has not come yet. The block is -1 when it was not
// streamed.
func (t *translation) lined(id, kind, tool string) (m, b int) {
	m = t.s.findMessage(key(id), "")
	if m < 0 {
		m = t.s.addMessage(carried{ID: key(id), Parent: key(t.l.Parent)})
	}
	b = slices.IndexFunc(t.s.d.Messages[m].Blocks, func(b block) bool {
		return !b.Lined && b.Kind == kind && (tool == "" || b.Tool == "" || b.Tool == tool)
	})
	if b >= 0 {
		t.s.message(m).Blocks[b].Lined = true
	}
	return m, b
}

func (t *translation) sawModel(model string) {
	if model != "" && model != "<synthetic>" && t.main() {
		t.s.d.Model = key(model)
	}
}

// sawContext records the size of the context at the last request.
func (t *translation) sawContext(u usage) {
	if given := u.Input + u.CacheRead + u.CacheCreation; given > 0 && t.main() {
		t.s.d.Context = clampInt(given, uint64(1<<40))
	}
}
