package claude

import (
	"bytes"
	"encoding/json"
	"errors"
)

// message is the message of an assistant or user line, and of message_start.
type message struct {
	ID      string  `json:"id"`
	Model   string  `json:"model"`
	Content content `json:"content"`
	Usage   usage   `json:"usage"`
}

type contentBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Result    resultContent   `json:"content"` // of a tool result
	IsError   bool            `json:"is_error"`
	Source    source          `json:"source"`
}

type source struct {
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

// content is the content of a message: a list of blocks, or a string that stands for
// one block of text.
type content []contentBlock

// UnmarshalJSON accepts both forms.
func (c *content) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var text string
		err := json.Unmarshal(b, &text)
		*c = content{{Type: "text", Text: text}}
		return err
	}
	var err error
	*c, err = list[contentBlock](b)
	return err
}

// resultBlock is a block within a tool result. It is not a contentBlock, so that
// the nesting is bounded.
type resultBlock struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Name   string `json:"tool_name"`
	Source source `json:"source"`
}

// resultContent is the result of a tool: a string or a list of blocks.
type resultContent []resultBlock

// UnmarshalJSON accepts both forms, and a single block.
func (c *resultContent) UnmarshalJSON(b []byte) error {
	if len(b) > 0 {
		switch b[0] {
		case '"':
			var text string
			err := json.Unmarshal(b, &text)
			*c = resultContent{{Type: "text", Text: text}}
			return err
		case '{':
			*c = make(resultContent, 1)
			return json.Unmarshal(b, &(*c)[0])
		}
	}
	var err error
	*c, err = list[resultBlock](b)
	return err
}

// errTooMany reports that a list was not read to its end.
var errTooMany = errors.New("too many members")

// list decodes a list of any length into bounded memory: a block takes
// three bytes in a line, and seventy times as much when it is decoded.
func list[T any](b []byte) ([]T, error) {
	const most = 10_000
	var all []T
	if bytes.Count(b, []byte(",")) < most || b[0] != '[' { // it cannot have more members than that
		err := json.Unmarshal(b, &all)
		return all, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	_, wrong := d.Token()
	for d.More() {
		if len(all) == most {
			return all, errTooMany
		}
		var v T
		if err := d.Decode(&v); err != nil {
			wrong = err
			if typeError := (*json.UnmarshalTypeError)(nil); !errors.As(err, &typeError) {
				break
			}
		}
		all = append(all, v)
	}
	return all, wrong
}
