package claude

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// user translates parts of the conversation that are not the model's: results of tools,
// and texts of the CLI itself. Echoes of our own messages
// are not content.
func (t *translation) user() {
	if t.l.Replay {
		t.echoed()
		return
	}
	var m message
	if err := json.Unmarshal(t.l.Message, &m); err != nil {
		t.keepRaw(reasonShape)
	}
	results := 0
	for i := range m.Content {
		if m.Content[i].Type == "tool_result" {
			results++
		}
	}
	for i := range m.Content {
		switch c := &m.Content[i]; c.Type {
		case "tool_result":
			ended := t.toolResult(c)
			t.uttered(utterance{Tool: key(c.ToolUseID)})
			if results == 1 { // tool_use_result is about this one
				t.afterTool(ended, c.IsError)
			}
		case "text":
			t.note(c.Text)
		case "image", "document":
		case "":
			t.keepRaw(reasonShape)
		default:
			t.keepRaw(reasonBlock)
		}
	}
}

// bashInput begins the echo of a shell command that was a line of the agent's input, and
// that the agent has run without asking.
const bashInput = "<bash-input>"

// echoed records a message of ours that the agent has taken up. The uuid is that of
// the message. Versions that list the messages that a result answers run without the
// option to echo messages, but they echo commands.
func (t *translation) echoed() {
	t.taken(t.l.UUID)
	if t.s.d.Partial {
		return
	}
	var m message
	if json.Unmarshal(t.l.Message, &m) != nil {
		return
	}
	for _, c := range m.Content {
		if command, found := strings.CutPrefix(c.Text, bashInput); found {
			t.add(CommandForged{Key: t.l.UUID, Command: oneLine(strings.TrimSuffix(command, "</bash-input>"), maxCarried)})
		}
	}
}

// note shows a text that the CLI put into the conversation. It leaves out the prompt of a
// subagent (its call has it) and the mark of an interrupt.
func (t *translation) note(text string) {
	if !t.main() || text == "" {
		return
	}
	if strings.HasPrefix(text, "[Request interrupted by user") {
		t.s.d.Aborted = true
		return
	}
	t.notice("CONTEXT_NOTE", text)
}

// afterTool reads the structured results of tools that change the state.
func (t *translation) afterTool(c call, failed bool) {
	if len(t.l.ToolUseResult) == 0 || failed {
		return
	}
	switch {
	case c.Name == toolExitPlanMode:
		t.approvedPlan()
	case listTool(c.Name):
		t.changedTodos(c)
	}
}

// String returns the result as text: blocks one below the other, and a note in place of
// blocks that are not text.
func (c resultContent) String() string {
	if len(c) == 1 && c[0].Type == "text" {
		return c[0].Text
	}
	var b strings.Builder
	for i, block := range c {
		if i > 0 {
			b.WriteByte('\n')
		}
		switch block.Type {
		case "text":
			b.WriteString(block.Text)
		case "image", "document":
			fmt.Fprintf(&b, "[%s %s, %d bytes]", block.Type, oneLine(block.Source.MediaType, 64),
				base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(block.Source.Data, "="))))
		case "tool_reference":
			fmt.Fprintf(&b, "[tool %s]", oneLine(block.Name, 128))
		default:
			fmt.Fprintf(&b, "[%s]", strings.TrimSpace(oneLine(block.Type, 64)+" "+oneLine(block.Title+" "+block.URL, 256)))
		}
	}
	return b.String()
}
