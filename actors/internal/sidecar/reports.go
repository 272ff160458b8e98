package sidecar

import (
	"encoding/json"
	"os"
	"path/filepath"

	"betcode/actors/internal/notes"
	"betcode/messages"
)

// reportName is the file with an agent's report at the beginning of a turn: its version, tools and MCP servers. It is not part
// of the session's projection, which is written with every batch, because lists of tools are long.
const reportName = "agent.json"

// WriteReport stores a report in the directory of a session's runs. It writes nothing if the directory does not exist: the
// session was deleted.
func WriteReport(directory string, r messages.AgentReport) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return notes.Replace(filepath.Join(directory, reportName), raw)
}

// ReadReport returns the report stored in the directory of a session's runs. It finds none in a file that cannot be read: the
// next turn brings another.
func ReadReport(directory string) (messages.AgentReport, bool) {
	var r messages.AgentReport
	raw, err := os.ReadFile(filepath.Join(directory, reportName))
	if err != nil || json.Unmarshal(raw, &r) != nil {
		return messages.AgentReport{}, false
	}
	return r, true
}
