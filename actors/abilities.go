package actors

import (
	"context"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/paths"
	"betcode/messages"
)

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
