package wire

import "encoding/json"

// Prompt returns the text of an input: a string, or an object of the document,
// {"type":"human","message":…}. For anything else it returns the JSON.
func Prompt(content Raw) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var human struct {
		Type    string  `json:"type"`
		Message *string `json:"message"`
	}
	if json.Unmarshal(content, &human) == nil && human.Type == "human" && human.Message != nil {
		return *human.Message
	}
	return string(content)
}
