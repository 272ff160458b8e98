package actors

import (
	"context"

	"betcode/actors/session/requests"
	"betcode/messages"
)

// A request under an idempotency key leaves the key with its answer in the journal, in
// the append that makes the answer true. See [messages.Once].

// before looks for the answer that a request under a key was given, in the journal.
func (s *System) before(r messages.Request) (messages.Reply, error) {
	switch m := r.(type) {
	case messages.SendInput:
		kept, seen, err := s.options.Store.Remembered(m.Session, m.Key)
		switch {
		case err != nil:
			return nil, messages.AsError("send input", err)
		case !seen:
			return nil, nil
		case !kept.Fits(m.Digest):
			return nil, messages.UsedKey("send input", m.Key)
		}
		if answer, err := requests.Decode(kept.Answer); err == nil {
			return answer, nil
		}
		return messages.InputAcknowledged{Key: m.Key, Seq: kept.Seq}, nil // from before answers were kept
	case messages.Once:
		kept, seen, err := s.options.Store.Remembered(m.Target(), m.Key)
		switch {
		case err != nil || !seen: // the session itself says that there is none
			return nil, nil //nolint:nilerr // see above
		case !kept.Fits(m.Digest):
			return nil, messages.UsedKey("repeat request", m.Key)
		}
		if answer, err := requests.Decode(kept.Answer); err == nil {
			return answer, nil
		}
	}
	return nil, nil
}

// resolveKey finds the session in which a key was used.
func (s *System) resolveKey(m messages.ResolveKey) (messages.Reply, error) {
	const op = "find key"
	sessions, _, err := s.options.Store.Sessions("", "", 0, 0)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	for _, session := range sessions {
		switch _, seen, err := s.options.Store.Remembered(session.ID, m.Key); {
		case err != nil && messages.KindOf(err) != messages.NotFound: // deleted meanwhile
			return nil, messages.AsError(op, err)
		case seen:
			return messages.SessionResolved{Session: session.ID}, nil
		}
	}
	return nil, messages.Errorf(op, messages.NotFound, "the key %s was not used", m.Key)
}

// askOnce asks what may come under a key: the journal first.
func (s *System) askOnce(ctx context.Context, r messages.Request) (messages.Reply, error) {
	if known, err := s.before(r); known != nil || err != nil {
		return known, err
	}
	return s.ask(ctx, s.sessions, r)
}
