package sidecar

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"betcode/actors/internal/notes"
	"betcode/messages"
)

// abilitiesFile has the commands, agents and models that a session's agent has reported, beside its runs.
type abilitiesFile struct {
	Format   int                     `json:"format"`
	Commands []messages.AgentCommand `json:"commands"`
	Skills   []string                `json:"skills"`
	Agents   []messages.AgentType    `json:"agents"`
	Models   []string                `json:"models,omitempty"`
}

const (
	abilitiesName   = "abilities.json"
	abilitiesFormat = 1
)

// ReadAbilities returns the abilities stored in the directory of a session's runs, none if there is no file that can be read.
func ReadAbilities(directory string) messages.Abilities {
	var file abilitiesFile
	text, err := os.ReadFile(filepath.Join(directory, abilitiesName))
	if err != nil || json.Unmarshal(text, &file) != nil || file.Format != abilitiesFormat {
		return messages.Abilities{}
	}
	return messages.Abilities{Commands: file.Commands, Skills: file.Skills, Agents: file.Agents, Models: file.Models}
}

// LearnAbilities adds a report of an agent to the abilities stored in the directory of a session's runs. It writes
// nothing if the directory does not exist: the session was deleted.
func LearnAbilities(directory string, reported messages.Abilities) error {
	before := ReadAbilities(directory)
	after := before.Learn(reported)
	after.Fresh = false
	if reflect.DeepEqual(before, after) {
		return nil
	}
	text, err := json.Marshal(abilitiesFile{abilitiesFormat, after.Commands, after.Skills, after.Agents, after.Models})
	if err != nil {
		return fmt.Errorf("remember abilities: %w", err)
	}
	return notes.Replace(filepath.Join(directory, abilitiesName), text)
}
