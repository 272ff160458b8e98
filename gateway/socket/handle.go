package socket

import (
	"context"
	"errors"

	pb "betcode/proto/betcode/v1"
)

// The errors with the texts of the document.
func alreadyExists(id ref) errorLine {
	return failure(id, "Session '"+id.text()+"' already exists")
}

func notFound(id ref) errorLine { return failure(id, "Session '"+id.text()+"' not found") }

func ofAnother(id ref) errorLine {
	return failure(id, "Session '"+id.text()+"' belongs to another connection")
}

const (
	noActiveSession = "No active session to send prompt to"
	tooManySessions = "Too many sessions on this connection"
	noConversation  = "No conversation found with session ID: "
)

// handle answers one request. As the document requires, requests with an unknown id have no answer,
// except close_session.
func (c *connection) handle(ctx context.Context, id ref, request any) {
	switch m := request.(type) {
	case startSession:
		c.start(id, m)
		return
	case resumeSession:
		c.resume(ctx, id, m)
		return
	case attachSession:
		c.attach(ctx, id, m)
		return
	}
	s := c.session(id)
	switch {
	case s == nil:
		if _, ok := request.(closeSession); ok {
			c.write(notFound(id))
		}
		return
	case !s.owner:
		c.watched(s, request)
		return
	}
	switch m := request.(type) {
	case sendPrompt:
		if !s.booted() {
			c.write(failure(id, noActiveSession))
			return
		}
		s.prompt(m.prompt)
	case permissionResponse:
		if p := s.find(m.request); p != nil {
			c.answer(s, p, m)
		}
	case questionResponse:
		if p := s.find(m.request); p != nil {
			send(s, p.reply(m))
		}
	case interrupt:
		if s.booted() {
			s.conversation.Send(cancel())
		}
	case closeSession:
		c.close(s, status(id, statusClosed), cleanUpTimeout)
	}
}

func (c *connection) answer(s *session, p *prompt, m permissionResponse) {
	answer, err := p.decide(m)
	if err != nil {
		c.write(failure(s.id, err.Error()))
		return
	}
	send(s, answer)
}

func send(s *session, r *pb.AgentRequest) {
	if r != nil {
		s.conversation.Send(r)
	}
}

// watched answers a request about a session that the connection only watches. It may only leave.
func (c *connection) watched(s *session, request any) {
	if _, ok := request.(closeSession); !ok {
		if request != nil {
			c.write(ofAnother(s.id))
		}
		return
	}
	s.end(status(s.id, statusClosed))
	c.release(s)
	s.detach()
}

func (c *connection) start(id ref, m startSession) {
	if err := c.claim(id, ""); err != nil {
		c.write(*err)
		return
	}
	s := c.open(id, true, opening(id, m), 0)
	s.starting = true
	s.prompt(m.prompt)
	c.run(s)
}

// resume continues a conversation from its present end, and numbers requests from 1.
func (c *connection) resume(ctx context.Context, id ref, m resumeSession) {
	found, err := c.find(ctx, m.conversation)
	if err != nil {
		c.write(missing(id, err, failure(id, noConversation+m.conversation)), status(id, statusIdle))
		return
	}
	c.replace(id)
	if err := c.claim(id, found.Session); err != nil {
		c.write(*err)
		return
	}
	s := c.open(id, true, &pb.StartConversation{
		SessionId: found.Session, History: pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE, FromSequence: found.Head,
	}, 0)
	s.prompt(m.prompt)
	c.run(s)
}

// attach attaches to a session. The connection becomes its owner, unless it only watches, or another connection has the
// id or owns the session.
func (c *connection) attach(ctx context.Context, id ref, m attachSession) {
	reference := m.conversation
	if reference == "" {
		reference = id.text()
		if s := c.server.live(id); s != nil {
			reference = s.conversation.Session()
		}
	}
	found, err := c.find(ctx, reference)
	if err != nil {
		c.write(missing(id, err, notFound(id)))
		return
	}
	from := found.Head
	if m.from != nil {
		from = min(*m.from, found.Head)
	}
	c.replace(id)
	owner := !m.watch && c.claim(id, found.Session) == nil
	if !owner && !c.watch(id) {
		c.write(failure(id, tooManySessions))
		return
	}
	s := c.open(id, owner, &pb.StartConversation{
		SessionId: found.Session, History: pb.HistoryPolicy_HISTORY_POLICY_FULL, Observer: !owner,
	}, found.Before)
	s.translator.extended, s.cursors = true, m.cursors
	s.replay = &replay{from: from, head: max(found.Head, from)}
	if found.Head <= found.Before { // nothing is replayed
		c.write(s.live()...)
	}
	c.run(s)
}

// find looks up a session, after waiting for a stop in progress.
func (c *connection) find(ctx context.Context, reference string) (Found, error) {
	found, err := c.daemon.Find(ctx, reference)
	if err == nil && c.server.stopped(ctx, found.Session) {
		found, err = c.daemon.Find(ctx, found.Session)
	}
	return found, err
}

// missing returns the line for a session that was not found, or for a daemon that is away.
func missing(id ref, err error, absent errorLine) errorLine {
	if errors.Is(err, ErrNotFound) {
		return absent
	}
	return failure(id, err.Error())
}

// replace detaches from the session that this connection has under an id, so that another one can begin.
func (c *connection) replace(id ref) {
	if s := c.session(id); s != nil {
		c.release(s)
		s.detach()
	}
}

// open opens a conversation. Its events are read only from run on.
func (c *connection) open(id ref, owner bool, start *pb.StartConversation, before uint64) *session {
	v := c.daemon.Converse(start)
	return &session{
		id: id, owner: owner, connection: c, conversation: v, done: make(chan struct{}),
		translator: newTranslator(id, v.Session(), before),
	}
}

// run starts writing the lines of a session.
func (c *connection) run(s *session) {
	c.server.add(c, s)
	go s.run()
}
