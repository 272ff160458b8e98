package grpcapi

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// inlineErrors bounds the errors that are buffered behind the events of a stream. When it is
// reached, the next requests of the client wait.
const inlineErrors = 4

// Converse implements AgentService.
//
//	client                     server
//	StartConversation   ─►     create or find the session, attach the stream
//	                    ◄─     SessionInfo, history, live events
//	any other request   ─►     handled in order
//	                    ◄─     ErrorEvent for a refused request; the stream stays open
//	half-close          ─►     events until no turn runs and no message waits, then OK
//	disconnect          ─►     detach the stream; the turn continues
func (s agentService) Converse(stream grpc.BidiStreamingServer[pb.AgentRequest, pb.AgentEvent]) error {
	if err := stream.SendHeader(metadata.MD{}); err != nil {
		return err
	}
	ctx := stream.Context()
	c := &conversation{
		server: s.server, stream: stream, client: auth.CallOf(ctx).Client,
		inline:     make(chan failure, inlineErrors),
		halfClosed: make(chan struct{}),
		published:  newPublished(),
	}
	defer func() { c.leave() }()
	opened := make(chan error, 1)
	go func() { // on a stack that is released before the stream ends
		opened <- s.server.interceptor.Guard(ctx, func() error { return c.open(ctx) })
	}()
	if err := <-opened; err != nil {
		return sendFatal(ctx, stream, err)
	}
	defer c.events.Close()
	go c.receive(ctx) // ends after the handler, when Recv returns
	if err := c.send(ctx); err != nil {
		return sendFatal(ctx, stream, err)
	}
	return nil
}

// conversation is one Converse stream.
type conversation struct {
	server  *Server
	stream  grpc.BidiStreamingServer[pb.AgentRequest, pb.AgentEvent]
	client  messages.ClientID
	session messages.SessionID
	events  handler.Stream

	inline     chan failure  // errors and warnings about requests, from receive
	halfClosed chan struct{} // closed by receive when the client sends no more requests

	published
}

// failure is an error about a request, which ends the stream if it is fatal, or a warning.
type failure struct {
	err     error
	fatal   bool
	warning *pb.AgentEvent
}

// event returns the failure as an event.
func (f failure) event() *pb.AgentEvent {
	if f.warning != nil {
		return f.warning
	}
	return wire.ErrorEvent(f.err, false)
}

// open reads the first message, finds or creates the session and attaches to it.
func (c *conversation) open(ctx context.Context) error {
	const op = "start conversation"
	const hint = "Send StartConversation as the first message of the stream."
	request, err := handler.First(ctx, c.stream.Recv)
	if errors.Is(err, io.EOF) {
		return wire.Invalid(op, hint, "the stream was closed before its first message")
	}
	if err != nil {
		return err
	}
	start := request.GetStart()
	if start == nil {
		return wire.Invalid(op, hint, "the first message is %s", requestName(request))
	}
	m, err := translate.StartIn(start, c.client)
	if err != nil {
		return err
	}
	c.session = m.Session
	c.keepsPrompts = start.GetKeepsPrompts()
	c.leave = c.server.conversing.enter(ctx, m.Session)
	auth.CallOf(ctx).Session = m.Session
	if err := c.knownCursor(ctx, start, m.Session); err != nil {
		return err // before a session is created
	}
	if start.GetDiscardUnused() { // a client that has left meanwhile is attached too: its session is discarded when it is detached
		ctx = context.WithoutCancel(ctx)
	}
	started, err := handler.Ask[messages.SessionStarted](ctx, c.server.asker, m)
	if err != nil {
		return err
	}
	attach, err := translate.AttachIn(start, m.Session, c.client, started.Created)
	if err != nil {
		return err
	}
	if err := translate.WithinHead("attach", attach.From, started.View.Record.Head); err != nil {
		return err
	}
	attach.Approves = !attach.Observer && auth.CallOf(ctx).Rights.Has(messages.MayApprove)
	attach.Type, attach.Observer = auth.CallOf(ctx).Type, auth.CallOf(ctx).Observes(attach.Observer)
	if dropped := c.server.environmentNotice(ctx, m.Session); dropped != nil && started.Created {
		c.inline <- failure{warning: dropped} // cannot block: receive has not begun
	}
	c.events, _, err = c.server.asker.Attach(ctx, attach)
	return err
}

// knownCursor refuses an unknown history policy, and a cursor into a session that does not exist, because it was
// deleted or belongs to another daemon. A new session under the same id would have other events under the sequences
// that the client knows.
func (c *conversation) knownCursor(ctx context.Context, start *pb.StartConversation, session messages.SessionID) error {
	history, err := translate.HistoryIn(start.GetHistory(), start.GetFromSequence())
	if err != nil || history != messages.HistoryFromSequence || start.GetFromSequence() == 0 || start.GetSessionId() == "" {
		return err
	}
	_, err = handler.Ask[messages.SessionView](ctx, c.server.asker, messages.GetSession{Session: session})
	if messages.KindOf(err) != messages.NotFound {
		return nil // starting the session reports any other problem
	}
	return messages.Errorf("start conversation", messages.NotFound, "session %s does not exist, and from_sequence is %d", session, start.GetFromSequence()).
		With("session_id", string(session)).
		WithHint("It was deleted, or belongs to another daemon. Leave from_sequence out to create a session under this id.")
}

// send is the only writer of the stream. It returns nil for a clean end.
func (c *conversation) send(ctx context.Context) error {
	c.awaitFirst(ctx, c.halfClosed, c.server.draining)
	halfClosed := c.halfClosed
	for {
		select {
		case <-c.events.Ready():
			events, err := c.events.Take(ctx)
			for i := range events {
				if err := c.stream.SendMsg(&events[i]); err != nil {
					return err
				}
			}
			if errors.Is(err, io.EOF) {
				return c.sendRest()
			}
			if err != nil {
				return err
			}
		case f := <-c.inline:
			if err := c.sendInline(f); err != nil {
				return err
			}
		case <-halfClosed:
			halfClosed = nil
			c.events.Finish()
		case <-c.server.draining:
			return handler.ShuttingDown()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// sendRest sends the remaining errors and warnings about the client's own requests.
func (c *conversation) sendRest() error {
	for {
		select {
		case f := <-c.inline:
			if err := c.sendInline(f); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// sendInline sends an error or a warning; a fatal error is returned.
func (c *conversation) sendInline(f failure) error {
	if f.fatal {
		return f.err
	}
	return c.stream.Send(f.event())
}
