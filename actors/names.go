package actors

import (
	"cmp"
	"context"
	"sync"
	"time"

	"betcode/messages"
)

// claimTime is how long a name stays claimed after a request without a known outcome: its caller has stopped waiting, and the
// session may still take the name.
const claimTime = time.Minute

// names are the names that requests are giving to sessions: they count before the journal has them. A name that people give
// belongs to one session of its directory. names is safe for concurrent use.
type names struct {
	mu     sync.Mutex
	claims map[place]*claim
}

// place is a name in a directory.
type place struct{ directory, name string }

// claim is a name that requests give to one session.
type claim struct {
	session  messages.SessionID
	requests int       // under way
	until    time.Time // when the claim ends after requests without a known outcome; zero without one
}

// begin claims a name for a session. If the name belongs to another session, or is claimed for one, begin returns that session.
// done ends the request; unsure means that the caller does not know whether the session has taken the name.
func (n *names) begin(at place, id messages.SessionID, now time.Time, named func(directory, name string) (messages.SessionID, bool)) (done func(now time.Time, unsure bool), taken messages.SessionID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.expire(now)
	if other, found := named(at.directory, at.name); found && other != id {
		return nil, other
	}
	c := n.claims[at]
	if c != nil && c.session != id {
		return nil, c.session
	}
	if c == nil {
		c = &claim{session: id}
		if n.claims == nil {
			n.claims = map[place]*claim{}
		}
		n.claims[at] = c
	}
	c.requests++
	return func(now time.Time, unsure bool) {
		n.mu.Lock()
		defer n.mu.Unlock()
		c.requests--
		if unsure {
			c.until = now.Add(claimTime)
		}
		n.expire(now)
	}, ""
}

// expire drops the claims that have ended.
func (n *names) expire(now time.Time) {
	for at, c := range n.claims {
		if c.requests == 0 && !now.Before(c.until) {
			delete(n.claims, at)
		}
	}
}

// giveName sends, with ask, a request that names a session, unless another session of the directory has the name.
func (s *System) giveName(op string, id messages.SessionID, at place, ask func() (messages.Reply, error)) (messages.Reply, error) {
	if at.name == "" {
		return ask()
	}
	done, taken := s.names.begin(at, id, s.now(), s.options.Store.Named)
	if done == nil {
		return nil, messages.Errorf(op, messages.AlreadyExists, "session %s in %s is called %q", messages.ShortID(taken), at.directory, at.name).WithCode(messages.NameTaken).
			With("session_id", string(taken)).WithHint("Choose another name, or use that session: betcode attach " + messages.ShortID(taken))
	}
	answer, err := ask()
	kind := messages.KindOf(err)
	done(s.now(), err != nil && (kind == messages.DeadlineExceeded || kind == messages.Canceled))
	return answer, err
}

// socketGateway is the metadata of sessions of the agent socket. Its clients choose their ids, which are the names, and reuse an
// id when its session is closed.
const socketGateway = "socket"

// startNamed starts a session. An existing session keeps its name, so a repeated request is no conflict.
func (s *System) startNamed(ctx context.Context, m messages.StartSession) (messages.Reply, error) {
	ask := func() (messages.Reply, error) { return s.startLeased(ctx, m, m) }
	if m.Name == "" || m.Metadata["gateway"] == socketGateway || s.queries.Exists(m.Session) {
		return ask()
	}
	return s.giveName("start session", m.Session, place{cmp.Or(m.Resolved, m.WorkingDirectory), m.Name}, ask)
}

// rename gives a session another name. r is m, or m under a key. Programs choose the names of subagents, of proxied sessions and
// of those of the agent socket; these names may repeat.
func (s *System) rename(ctx context.Context, r messages.Request, m messages.RenameSession) (messages.Reply, error) {
	if known, err := s.queries.Repeated(r); known != nil || err != nil {
		return known, err
	}
	ask := func() (messages.Reply, error) { return s.ask(ctx, s.sessions, r) }
	loaded, err := s.options.Store.Load(m.Session)
	record := loaded.Record
	if err != nil || !loaded.Found || record.Subagent != nil || record.Proxy != nil || record.Metadata["gateway"] == socketGateway {
		return ask() // an error is the session's to report
	}
	return s.giveName("rename session", m.Session, place{cmp.Or(record.Resolved, record.WorkingDirectory), m.Name}, ask)
}
