package actors

import (
	"context"

	"betcode/messages"
)

// abilities asks a session's agent, or takes what it has reported before.
func (s *System) abilities(ctx context.Context, m messages.GetAbilities) (messages.Reply, error) {
	known := s.queries.Abilities(m.Session)
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
