package socket

import (
	"cmp"
	"context"
	"slices"
)

// owned is a used id: its connection, the session of the daemon, and the conversation, once it exists.
type owned struct {
	by      *connection
	of      string // empty for a session that is being created
	session *session
}

// has reports whether a session of the daemon is owned under the id.
func (o *owned) has(session string) bool {
	return session != "" && (o.of == session || o.session != nil && o.session.conversation.Session() == session)
}

// live returns the session that owns an id; nil if the id is free.
func (s *Server) live(id ref) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.owners[id]; o != nil {
		return o.session
	}
	return nil
}

// stops marks a session as being stopped until done is called.
func (s *Server) stops(session string) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stopping := make(chan struct{})
	s.stopping[session] = stopping
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.stopping[session] == stopping {
			delete(s.stopping, session)
		}
		close(stopping)
	}
}

// stopped waits until a session is no longer being stopped, because requests before that would be
// lost with its agent. It reports whether it waited.
func (s *Server) stopped(ctx context.Context, session string) (waited bool) {
	s.mu.Lock()
	stopping := s.stopping[session]
	s.mu.Unlock()
	if stopping == nil {
		return false
	}
	select {
	case <-stopping:
	case <-ctx.Done():
	}
	return true
}

// claim takes an id for the connection and a session of the daemon, empty for a new one, or returns the
// error for its client. Two connections never own the same session, even under different ids.
func (c *connection) claim(id ref, session string) *errorLine {
	s := c.server
	s.mu.Lock()
	defer s.mu.Unlock()
	refused := alreadyExists(id)
	switch {
	case s.owners[id] != nil || c.sessions[id] != nil:
		return &refused
	case len(c.sessions) >= maxSessions:
		refused = failure(id, tooManySessions)
		return &refused
	}
	for _, o := range s.owners {
		if o.by != c && o.has(session) {
			refused = ofAnother(id)
			return &refused
		}
	}
	s.owners[id] = &owned{by: c, of: session}
	return nil
}

// watch reports whether the connection may attach to a session that another connection owns.
func (c *connection) watch(id ref) bool {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	return c.sessions[id] == nil && len(c.sessions) < maxSessions
}

// add adds a session to its connection.
func (s *Server) add(c *connection, added *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.sessions[added.id] = added
	if o := s.owners[added.id]; o != nil && o.by == c && added.owner {
		o.session = added
	}
}

// release removes a session, and frees its id.
func (c *connection) release(gone *session) {
	s := c.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.sessions[gone.id] == gone {
		delete(c.sessions, gone.id)
	}
	if o := s.owners[gone.id]; o != nil && o.session == gone {
		delete(s.owners, gone.id)
	}
}

// session returns the session that the connection has under an id; nil if it has none.
func (c *connection) session(id ref) *session {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	return c.sessions[id]
}

// all returns the sessions of the connection.
func (c *connection) all() []*session {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	var all []*session
	for _, s := range c.sessions {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *session) int { return cmp.Compare(a.id, b.id) })
	return all
}
