package claude

import (
	"strings"

	"betcode/messages"
)

type userLine struct {
	Type    string  `json:"type"`
	Message userMsg `json:"message"`
	Parent  *string `json:"parent_tool_use_id"`
	Session string  `json:"session_id"`
	UUID    string  `json:"uuid"`
	Origin  origin  `json:"origin"`
}

type userMsg struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

type userBlock struct {
	Type   string      `json:"type"`
	Text   string      `json:"text,omitempty"`
	Source *userSource `json:"source,omitempty"`
	Title  string      `json:"title,omitempty"`
}

type userSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"` // encoded as base64
}

// UserLine makes the line for a message of a user. The key is its uuid: the
// agent runs it once, however often it is sent. It does not fail for a message that
// [CheckInput] of any version has accepted.
func UserLine(key, content string, attachments []messages.Attachment) ([]byte, error) {
	if key == "" {
		return nil, messages.Errorf("encode message", messages.Invalid, "a message needs a key")
	}
	blocks, err := userBlocks(content, attachments)
	if err != nil {
		return nil, err
	}
	m := userMsg{Role: "user", Content: content}
	if len(attachments) > 0 {
		m.Content = blocks
	}
	return encode(userLine{Type: "user", Message: m, UUID: key, Origin: origin{Kind: "human"}}), nil
}

// CheckInput reports why a message cannot be sent to the agent, before it is
// accepted: it is empty, or a file is too large, or not of a type that the model takes.
func CheckInput(content string, attachments []messages.Attachment) error {
	if _, err := userBlocks(content, attachments); err != nil {
		return err
	}
	return checkAttachments(attachments)
}

func userBlocks(content string, attachments []messages.Attachment) ([]userBlock, error) {
	const op = "check message"
	if strings.TrimSpace(content) == "" && len(attachments) == 0 {
		return nil, messages.Errorf(op, messages.Invalid, "the message is empty")
	}
	var blocks []userBlock
	if content != "" {
		blocks = append(blocks, userBlock{Type: "text", Text: content})
	}
	for i, a := range attachments {
		b, err := attachmentBlock(a)
		if err != nil {
			return nil, refuseAttachment(i, a, err)
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}
