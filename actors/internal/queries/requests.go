package queries

import (
	"slices"
	"strings"
	"sync"

	"betcode/actors/session/requests"
	"betcode/messages"
)

// latelySize bounds how many answered requests can be found by the beginning of their ids.
const latelySize = 1024

// lately has the requests that were answered since this daemon started, the newest last.
// The journal has all of them, but finds them by whole ids only. The zero value is empty.
// lately is safe for concurrent use.
type lately struct {
	mu       sync.Mutex
	answered []messages.RequestResolved
}

func (l *lately) add(session messages.SessionID, request messages.RequestID) {
	if session == "" || request == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	this := messages.RequestResolved{Session: session, Request: request}
	if slices.Contains(l.answered, this) {
		return
	}
	if len(l.answered) == latelySize {
		l.answered = slices.Delete(l.answered, 0, 1)
	}
	l.answered = append(l.answered, this)
}

// beginning returns the requests whose id has the prefix.
func (l *lately) beginning(reference string) (found []messages.RequestResolved) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.answered {
		if strings.HasPrefix(string(r.Request), reference) {
			found = append(found, r)
		}
	}
	return found
}

// Answered records that a request was answered, so that it is found by the beginning of its id.
func (q *Queries) Answered(session messages.SessionID, request messages.RequestID) {
	q.lately.add(session, request)
}

// resolveRequest finds the session of a decided request: by the key that its decision left in
// the journal, else by a prefix of its id among recent answers.
func (q *Queries) resolveRequest(m messages.ResolveRequest) (messages.Reply, error) {
	const op = "find permission request"
	sessions, _, err := q.deps.Store.Sessions("", "", 0, 0)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	var found []messages.RequestResolved
	var problem error
	for _, session := range sessions {
		switch _, seen, err := q.deps.Store.Seen(session.ID, requests.DecisionKey(messages.RequestID(m.Reference))); {
		case err != nil && messages.KindOf(err) != messages.NotFound: // otherwise it was deleted meanwhile
			problem = messages.AsError(op, err)
		case seen:
			found = append(found, messages.RequestResolved{Session: session.ID, Request: messages.RequestID(m.Reference)})
		}
	}
	if len(found) == 0 && m.Reference != "" {
		found = q.lately.beginning(m.Reference)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, messages.Errorf(op, messages.Invalid, "%d requests have an id that begins with %q", len(found), m.Reference).
			WithHint("give more of the id, or the session")
	case problem != nil:
		return nil, problem
	}
	return nil, messages.Errorf(op, messages.NotFound, "no request has the id %q", m.Reference).
		WithHint("'betcode permission list' shows what waits")
}
