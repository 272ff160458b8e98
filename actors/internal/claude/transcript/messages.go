package transcript

import "encoding/json"

// holds reports whether a record shows that the message with a key is part of the
// conversation. A torn record shows nothing.
//
// A message that began a turn is a user record under its key. A message that was
// folded into a running turn has two records under other names: an attachment, and
// its removal from the queue. The agent itself does not recognise such a message when
// it is resumed. Of several messages that were merged into one turn, only the last
// key is in the transcript.
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
