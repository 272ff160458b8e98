package proxy

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// leaveTimeout bounds how long the end of a call waits for the session.
const leaveTimeout = 5 * time.Second

// service implements ProxyService.
type service struct {
	pb.UnimplementedProxyServiceServer
	asker    handler.Asker
	draining <-chan struct{} // closed when the server stops
}

// NewService returns the service.
func NewService(asker handler.Asker, draining <-chan struct{}) pb.ProxyServiceServer {
	return service{asker: asker, draining: draining}
}

// Connect implements ProxyService.
func (s service) Connect(stream grpc.BidiStreamingServer[pb.ProxyRequest, pb.ProxyEvent]) error {
	if err := stream.SendHeader(metadata.MD{}); err != nil {
		return err
	}
	ctx := stream.Context()
	c := &connection{service: s, stream: stream, in: newIntake(), out: newOutbox()}
	registered, err := c.register(ctx)
	if err != nil {
		return err
	}
	defer c.leave(ctx)
	if err := stream.Send(registered); err != nil {
		return err
	}
	return c.serve(ctx)
}

// connection is one call.
type connection struct {
	service
	stream  grpc.BidiStreamingServer[pb.ProxyRequest, pb.ProxyEvent]
	session messages.SessionID
	id      string // unique
	in      *intake
	out     *outbox
}

// register reads the first request, and begins or continues the session.
func (c *connection) register(ctx context.Context) (*pb.ProxyEvent, error) {
	const op = "register proxied session"
	const hint = "Send ProxyRegister as the first request of the call."
	request, err := handler.First(ctx, c.stream.Recv)
	if errors.Is(err, io.EOF) {
		return nil, wire.Invalid(op, hint, "the call was closed before its first request")
	}
	if err != nil {
		return nil, err
	}
	if request.GetRegister() == nil {
		return nil, wire.Invalid(op, hint, "the first request is another one")
	}
	m, err := registerIn(request.GetRegister())
	if err != nil {
		return nil, err
	}
	m.Owner = auth.CallOf(ctx).Person
	m.Token, _ = auth.CallOf(ctx).Token()
	m.Connection, m.Sink = uuid.NewString(), c.out
	c.session, c.id = m.Session, m.Connection
	auth.CallOf(ctx).Session = m.Session
	connected, err := handler.Ask[messages.ProxyConnected](ctx, c.asker, m)
	if err != nil {
		c.leave(ctx) // the session may be registered although the answer was lost
		return nil, err
	}
	return registeredOut(m.Session, connected), nil
}

// leave disconnects the call from the session.
func (c *connection) leave(ctx context.Context) {
	c.in.close(context.Canceled)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	// Best effort: a session that does not answer is restarted, and then has no connection.
	_, _ = c.asker.Ask(ctx, messages.DisconnectProxy{Session: c.session, Connection: c.id})
}

// serve passes frames of the proxy to the session, and events to the proxy, until the call ends.
func (c *connection) serve(ctx context.Context) error {
	taken := make(chan error, 1)
	go c.receive(ctx) // ends after the handler, when Recv returns
	go func() { taken <- c.take(ctx) }()
	for {
		select {
		case <-c.out.ready:
			events, end, err := c.out.take()
			for _, e := range events {
				if err := c.stream.Send(e); err != nil {
					return err
				}
			}
			if end {
				return err
			}
		case err := <-taken:
			taken = nil
			if err == nil { // the proxy sends no more
				c.out.Close(nil)
				continue
			}
			c.out.Close(err)
		case <-c.draining:
			return handler.ShuttingDown()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// receive reads requests until the proxy sends no more, or one is refused.
func (c *connection) receive(ctx context.Context) {
	for {
		request, err := c.stream.Recv()
		var frame messages.ProxyFrame
		if err == nil {
			frame, err = frameIn(request)
		}
		if err == nil {
			err = c.in.put(ctx, frame)
		}
		if err != nil {
			c.in.close(err)
			return
		}
	}
}

// take passes batches to the session in order and acknowledges them. It returns nil when the proxy sends no more and
// all batches are durable.
func (c *connection) take(ctx context.Context) error {
	for {
		frames, err := c.in.take(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		done, err := handler.Ask[messages.ProxyFramesTaken](ctx, c.asker, messages.TakeProxyFrames{Session: c.session, Connection: c.id, Frames: frames})
		if err != nil {
			return err
		}
		if done.Counted {
			c.out.acknowledge(done.Seq)
		}
	}
}
