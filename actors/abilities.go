package actors

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/notes"
	"betcode/actors/internal/paths"
	"betcode/messages"
)

// abilitiesFile is what a session's agent has told about itself, beside its runs.
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

// readAbilities returns what is remembered in a directory: nothing, if there is no
// file that can be understood. It will be told again.
func readAbilities(directory string) messages.Abilities {
	var file abilitiesFile
	text, err := os.ReadFile(filepath.Join(directory, abilitiesName))
	if err != nil || json.Unmarshal(text, &file) != nil || file.Format != abilitiesFormat {
		return messages.Abilities{}
	}
	return messages.Abilities{Commands: file.Commands, Skills: file.Skills, Agents: file.Agents, Models: file.Models}
}

// learnAbilities adds what an agent has told to what is remembered in a directory. A session that was deleted meanwhile has no
// directory any more, and gets none.
func learnAbilities(directory string, told messages.Abilities) error {
	before := readAbilities(directory)
	after := before.Learn(told)
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

// abilities asks a session's agent, or takes what is remembered, in the caller's goroutine.
func (s *System) abilities(ctx context.Context, m messages.GetAbilities) (messages.Reply, error) {
	known := s.knownAbilities(m.Session)
	if m.Remembered {
		return known, nil
	}
	answer, err := s.ask(ctx, s.sessions, m)
	if err != nil {
		return nil, err
	}
	if told, ok := answer.(messages.Abilities); ok && told.Fresh {
		return known.Learn(told), nil
	}
	return known, nil
}

// subagents works in the caller's goroutine: what runs is part of what the
// translator carries from line to line, which is written down with every batch.
func (s *System) subagents(m messages.GetSubagents) (messages.Reply, error) {
	const op = "get subagents"
	loaded, err := s.options.Store.Load(m.Session)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	if loaded.Run == nil || loaded.Run.State == messages.RunFinished {
		return messages.Subagents{}, nil
	}
	state, err := claude.ParseState(loaded.Cursor.Translator)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	return messages.Subagents{Subagents: state.Subagents()}, nil
}

// completePath works in the caller's goroutine.
func (s *System) completePath(m messages.ListPath) (messages.Reply, error) {
	const op = "list path"
	loaded, err := s.options.Store.Load(m.Session)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	if !loaded.Found {
		return nil, messages.Errorf(op, messages.NotFound, "session %q does not exist", m.Session).WithCode(messages.SessionNotFound)
	}
	list, err := paths.Complete(loaded.Record.WorkingDirectory, m.Query, m.Limit)
	if err != nil {
		return nil, err
	}
	return list, nil
}
