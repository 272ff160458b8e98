package claude

import (
	"fmt"
	"mime"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"betcode/messages"
)

// imageTypes are the images that the model takes.
var imageTypes = []string{"image/gif", "image/jpeg", "image/png", "image/webp"}

// textTypes are texts, beside text/*.
var textTypes = []string{
	"application/javascript", "application/json", "application/sql", "application/toml", "application/typescript",
	"application/x-ndjson", "application/x-sh", "application/x-yaml", "application/xml", "application/yaml",
}

// byExtension are the types of files that come without one. The tables of the
// system are not asked: they differ from machine to machine.
var byExtension = map[string]string{
	".gif": "image/gif", ".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".png": "image/png", ".webp": "image/webp",
	".pdf": typePDF,
}

const (
	typePDF  = "application/pdf"
	typeText = "text/plain"
	accepted = "Accepted are PNG, JPEG, GIF and WebP images, PDF documents and text files."
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
// agent runs it once, however often it is sent. It fails exactly when
// [CheckInput] does.
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
// accepted: it is empty, or a file is of a type that the model does not take.
func CheckInput(content string, attachments []messages.Attachment) error {
	_, err := userBlocks(content, attachments)
	return err
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
			return nil, messages.Errorf(op, messages.Invalid, "attachment %d (%s): %w", i+1, attachmentName(a), err).
				WithHint(accepted)
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

func attachmentBlock(a messages.Attachment) (userBlock, error) {
	kind := mediaType(a)
	switch {
	case len(a.Data) == 0:
		return userBlock{}, fmt.Errorf("it is empty")
	case slices.Contains(imageTypes, kind):
		return userBlock{Type: "image", Source: &userSource{"base64", kind, a.Data}}, nil
	case kind == typePDF:
		return userBlock{Type: "document", Source: &userSource{"base64", kind, a.Data}, Title: attachmentName(a)}, nil
	case !strings.HasPrefix(kind, "text/") && !slices.Contains(textTypes, kind):
		return userBlock{}, fmt.Errorf("files of type %s cannot be sent", oneLine(kind, 64))
	case !utf8.Valid(a.Data):
		return userBlock{}, fmt.Errorf("it is no text in UTF-8")
	}
	return userBlock{Type: "text", Text: "File " + attachmentName(a) + ":\n\n" + string(a.Data)}, nil
}

// mediaType is the type of a file: as declared, else by its name, else a text if
// it is one.
func mediaType(a messages.Attachment) string {
	kind, _, err := mime.ParseMediaType(a.MimeType)
	if err != nil {
		kind = strings.ToLower(strings.TrimSpace(a.MimeType))
	}
	switch kind {
	case "image/jpg":
		return "image/jpeg"
	case "application/x-pdf":
		return typePDF
	case "", "application/octet-stream":
		if known, ok := byExtension[strings.ToLower(path.Ext(a.Filename))]; ok {
			return known
		}
		if utf8.Valid(a.Data) && !slices.Contains(a.Data, 0) {
			return typeText
		}
		return "application/octet-stream"
	}
	return kind
}

// attachmentName is the file's name, without a directory and on one line.
func attachmentName(a messages.Attachment) string {
	name := oneLine(path.Base(strings.ReplaceAll(a.Filename, `\`, "/")), 255)
	if name == "" || name == "." || name == ".." || name == "/" {
		return "unnamed"
	}
	return name
}
