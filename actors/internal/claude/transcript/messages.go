package claude

import (
	"bytes"
	"encoding/json"
	"io"
)

// Remembered reads a conversation that the agent has on disk and reports which
// of the messages with these keys are in it.
//
// A message that began a turn is a user record under its key. One that was
// folded into a running turn is an attachment, and the record of its leaving the
// queue, both under other names; the agent itself does not recognise it when it
// is resumed, so somebody has to look. Of several messages merged into one turn
// only the last key is on disk.
func Remembered(transcript io.Reader, keys []string) (map[string]bool, error) {
	found := map[string]bool{}
	err := records(transcript, func(line []byte) {
		for _, key := range keys {
			if !found[key] && bytes.Contains(line, []byte(key)) && holds(line, key) {
				found[key] = true
			}
		}
	})
	return found, err
}

// holds reports whether a record of a transcript says that the message with a
// key is part of the conversation. A torn record says nothing.
func holds(line []byte, key string) bool {
	var record struct {
		Type       string `json:"type"`
		UUID       string `json:"uuid"`
		Operation  string `json:"operation"`
		Command    string `json:"commandUuid"`
		Attachment struct {
			Source string `json:"source_uuid"`
		} `json:"attachment"`
	}
	if json.Unmarshal(line, &record) != nil {
		return false
	}
	switch record.Type {
	case "user":
		return record.UUID == key
	case "attachment":
		return record.Attachment.Source == key
	case "queue-operation":
		return record.Operation == "remove" && record.Command == key
	}
	return false
}
