package queries

import (
	"betcode/actors/session/requests"
	"betcode/messages"
)

// A request under an idempotency key stores the key with its answer in the journal, in
// the append that makes the answer true. See [messages.Idempotent].

// Repeated returns the stored answer of a request that was made before under its key, nil if there is none.
func (q *Queries) Repeated(r messages.Request) (messages.Reply, error) {
	switch m := r.(type) {
	case messages.SendInput:
		kept, seen, err := q.deps.Store.StoredResult(m.Session, m.Key)
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
		return messages.InputAcknowledged{Key: m.Key, Seq: kept.Seq}, nil // from before answers were stored
	case messages.Idempotent:
		kept, seen, err := q.deps.Store.StoredResult(m.Target(), m.Key)
		switch {
		case err != nil || !seen: // the session itself reports that it does not exist
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

// KeyUsed reports whether an idempotency key was used in a session before: not in one that does not exist.
func (q *Queries) KeyUsed(id messages.SessionID, key string) (bool, error) {
	_, seen, err := q.deps.Store.Seen(id, key)
	if messages.KindOf(err) == messages.NotFound {
		return false, nil // the request itself fails with a hint
	}
	if err != nil {
		return false, messages.AsError("look up key", err)
	}
	return seen, nil
}

// resolveKey finds the session in which a key was used.
func (q *Queries) resolveKey(m messages.ResolveKey) (messages.Reply, error) {
	const op = "find key"
	sessions, _, err := q.deps.Store.Sessions("", "", 0, 0)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	for _, session := range sessions {
		switch _, seen, err := q.deps.Store.StoredResult(session.ID, m.Key); {
		case err != nil && messages.KindOf(err) != messages.NotFound: // otherwise it was deleted meanwhile
			return nil, messages.AsError(op, err)
		case seen:
			return messages.SessionResolved{Session: session.ID}, nil
		}
	}
	return nil, messages.Errorf(op, messages.NotFound, "the key %s was not used", m.Key)
}
