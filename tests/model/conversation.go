package model

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Conversation is the history of a conversation, as read from the messages of a request.
type Conversation struct {
	Prompts   []string // every text of the user, in order; folded ones too
	Replies   int      // replies of the model since the latest of them
	Tool      string   // the tool whose result came last since then
	Result    string   // and the text of that result
	Resumed   bool     // an interrupted turn is being continued
	Subagent  bool
	Summary   bool   // a summary of the conversation is wanted
	Auxiliary bool   // a title, a topic: nothing of the conversation
	Cwd       string // working directory
	PlanFile  string // where plan mode wants the plan
}

// Prompt is the latest text of the user.
func (c Conversation) Prompt() string {
	if len(c.Prompts) == 0 {
		return ""
	}
	return c.Prompts[len(c.Prompts)-1]
}

// Count returns how often a text of the user occurs; a prompt that was merged with others counts as
// part of the whole.
func (c Conversation) Count(text string) int {
	n := 0
	for _, p := range c.Prompts {
		n += strings.Count(p, text)
	}
	return n
}

// apiRequest has the members of a request that are used.
type apiRequest struct {
	Model    string
	Stream   bool
	System   content
	Messages []struct {
		Role    string
		Content content
	}
	Tools []struct{ Name string }
}

// content is message content: a string or a list of blocks.
type content []block

type block struct {
	Type      string
	Text      string
	ID        string
	Name      string
	ToolUseID string `json:"tool_use_id"`
	Content   content
}

// UnmarshalJSON decodes a string as one text block.
func (c *content) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = content{{Type: "text", Text: text}}
		return nil
	}
	var blocks []block
	err := json.Unmarshal(b, &blocks)
	*c = blocks
	return err
}

// text is all text of it, blocks separated by a newline.
func (c content) text() string {
	var parts []string
	for _, b := range c {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// Texts that Claude Code sends to the model.
var (
	foldedMark   = regexp.MustCompile(`(?s)^The user sent a new message while you were working:\n(.*?)\n\nThis is how Claude Code surfaces`)
	cwdMark      = regexp.MustCompile(`Primary working directory: (.*)`)
	planMark     = regexp.MustCompile(`(/\S+/plans/[\w-]+\.md)`)
	reminder     = "<system-reminder>"
	notification = "<task-notification>"
	summaryMark  = "Your task is to create a detailed summary"
)

// goOns are beginnings of texts with which Claude Code makes the model continue a reply.
var goOns = []string{
	"Continue from where you left off.", "Your response above was cut off mid-stream.", "Output token limit hit",
}

// notPrompts begin texts of role user that no user wrote.
var notPrompts = []string{
	"[Request interrupted by user", "<local-command-", "<command-name>",
	"This session is being continued from a previous conversation",
}

// conversationOf reads a request.
func conversationOf(r apiRequest) Conversation {
	var c Conversation
	names := map[string]string{} // of tools by call
	c.look(r.System.text())
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			c.Replies++
		}
		for _, b := range m.Content {
			switch b.Type {
			case "text":
				c.hear(m.Role, b.Text)
			case "tool_use":
				names[b.ID] = b.Name
			case "tool_result":
				c.Tool, c.Result = names[b.ToolUseID], b.Content.text()
				c.look(c.Result)
			}
		}
	}
	return c
}

// hear takes a text block into account.
func (c *Conversation) hear(role, text string) {
	c.look(text)
	switch {
	case role == "assistant":
	case role == "system" || strings.HasPrefix(text, reminder):
		inner := strings.TrimSpace(strings.TrimPrefix(text, reminder))
		if m := foldedMark.FindStringSubmatch(inner); m != nil {
			c.prompt(m[1])
		} else if i := strings.Index(inner, notification); i >= 0 {
			c.prompt(inner[i:])
		}
	case beginsWith(text, notPrompts):
	case beginsWith(text, goOns):
		c.Resumed = true
	case strings.Contains(text, summaryMark):
		c.Summary = true
	default:
		c.prompt(text)
	}
}

func beginsWith(text string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) })
}

// prompt begins a new exchange.
func (c *Conversation) prompt(text string) {
	c.Prompts = append(slices.Clip(c.Prompts), text)
	c.Replies, c.Tool, c.Result, c.Resumed = 0, "", "", false
}

// look finds paths that Claude Code mentions.
func (c *Conversation) look(text string) {
	if m := cwdMark.FindStringSubmatch(text); m != nil {
		c.Cwd = strings.TrimSpace(m[1])
	}
	if m := planMark.FindStringSubmatch(text); m != nil {
		c.PlanFile = m[1]
	}
}
