package actors

import (
	"context"

	"betcode/messages"
)

// connectProxy registers a proxy for its session. The session that this one replaces ends after that. A proxy that registers
// again names the replaced session again, which may be deleted by then.
func (s *System) connectProxy(ctx context.Context, m messages.ConnectProxy) (messages.Reply, error) {
	replaces := m.Replaces != "" && m.Replaces != m.Session
	if replaces {
		_, err := s.sessionView(ctx, messages.GetSession{Session: m.Session})
		if messages.KindOf(err) == messages.NotFound && !s.proxiedBy(ctx, m.Replaces, m.Owner) {
			return nil, messages.Errorf("register proxied session", messages.NotFound, "session %s, which is to be replaced, does not exist, or belongs to another person", m.Replaces).
				WithCode(messages.SessionNotFound).With("session_id", string(m.Replaces)).WithHint("register without replaces_session_id")
		}
	}
	answer, err := s.ask(ctx, s.sessions, m)
	if err != nil || !replaces {
		return answer, err
	}
	_, err = s.ask(ctx, s.sessions, messages.ReplaceProxied{Session: m.Replaces, Owner: m.Owner, By: m.Session})
	if err != nil && messages.KindOf(err) != messages.NotFound {
		return nil, err
	}
	return answer, nil
}

// proxiedBy reports whether a session is proxied and belongs to owner.
func (s *System) proxiedBy(ctx context.Context, id messages.SessionID, owner string) bool {
	view, err := s.sessionView(ctx, messages.GetSession{Session: id})
	return err == nil && view.Record.Proxy != nil && view.Record.Proxy.Owner == owner
}
