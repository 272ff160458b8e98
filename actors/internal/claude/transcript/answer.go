package transcript

import (
	"bytes"
	"encoding/json"
	"io"
)

// LastAnswer returns the id of the newest message of the model in a transcript of the
// agent, for --resume-session-at. It is empty if there is none since the
// conversation began, or was compacted.
func LastAnswer(transcript io.Reader) (string, error) {
	last := ""
	err := records(transcript, func(line []byte) {
		var record struct {
			Type      string `json:"type"`
			Subtype   string `json:"subtype"`
			UUID      string `json:"uuid"`
			Sidechain bool   `json:"isSidechain"`
		}
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &record) != nil || record.Sidechain {
			return
		}
		switch {
		case record.Type == "assistant" && record.UUID != "":
			last = record.UUID
		case record.Type == "system" && record.Subtype == "compact_boundary":
			last = ""
		}
	})
	return last, err
}
