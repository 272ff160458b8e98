package gateways

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/gateway/socket"
	pb "betcode/proto/betcode/v1"
)

// daemon implements [socket.Daemon] over a connection.
type daemon struct{ client *client.Client }

// Converse implements [socket.Daemon].
func (d daemon) Converse(start *pb.StartConversation) socket.Conversation {
	c := &conversation{Conversation: d.client.Converse(context.Background(), client.ConverseOptions{Start: start}), events: make(chan *pb.AgentEvent)}
	c.gone, c.leave = context.WithCancel(context.Background())
	go c.forward()
	return c
}

// pageSize is how many sessions are listed at once.
const pageSize = 1000

// Find implements [socket.Daemon].
func (d daemon) Find(ctx context.Context, reference string) (socket.Found, error) {
	if id, err := uuid.Parse(reference); err == nil {
		found, err := d.show(ctx, id.String())
		if !errors.Is(err, socket.ErrNotFound) {
			return found, err
		}
	}
	for offset := uint32(0); ; offset += pageSize { // newest first
		page, err := d.client.Agent.ListSessions(ctx, &pb.ListSessionsRequest{Limit: pageSize, Offset: offset})
		if err != nil {
			return socket.Found{}, explained(err)
		}
		for _, s := range page.GetSessions() {
			if s.GetName() == reference {
				return d.show(ctx, s.GetId())
			}
		}
		if len(page.GetSessions()) < pageSize {
			return socket.Found{}, socket.ErrNotFound
		}
	}
}

func (d daemon) show(ctx context.Context, id string) (socket.Found, error) {
	s, err := d.client.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: id})
	switch {
	case status.Code(err) == codes.NotFound:
		return socket.Found{}, socket.ErrNotFound
	case err != nil:
		return socket.Found{}, explained(err)
	}
	return socket.Found{Session: s.GetSummary().GetId(), Head: s.GetHead(), Before: max(s.GetBoundary(), s.GetLowWater())}, nil
}

// Deny implements [socket.Daemon]. It fails only if the daemon cannot be asked: a request that was
// decided meanwhile, or has gone with its session, needs no answer.
func (d daemon) Deny(ctx context.Context, session, request, why string) error {
	_, err := d.client.Admin.AnswerPermission(ctx, &pb.AnswerPermissionRequest{
		SessionId: session, RequestId: request, Decision: pb.PermissionDecision_DENY_WITH_INTERRUPT, Message: why,
	})
	if code := status.Code(err); code == codes.Unavailable || code == codes.DeadlineExceeded || code == codes.Canceled {
		return err
	}
	return nil
}

// Stop implements [socket.Daemon].
func (d daemon) Stop(ctx context.Context, session string) error {
	_, err := d.client.Admin.StopSession(ctx, &pb.StopSessionRequest{SessionId: session})
	if status.Code(err) == codes.NotFound {
		return nil
	}
	return err
}

// Close implements [socket.Daemon].
func (d daemon) Close() error { return d.client.Close() }

// conversation implements [socket.Conversation].
type conversation struct {
	*client.Conversation
	events chan *pb.AgentEvent
	gone   context.Context // done when the conversation is closed
	leave  context.CancelFunc
}

// forward hands the events on, and shows a request that is lost as an error.
func (c *conversation) forward() {
	defer close(c.events)
	for item := range c.Items() {
		event := item.Event
		if item.Lost != nil {
			event = &pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{
				Message: "The daemon went away before it had the request; send it again",
			}}}
		}
		if event == nil {
			continue // the connection broke, or is back
		}
		select {
		case c.events <- event:
		case <-c.gone.Done():
		}
	}
}

// Events implements [socket.Conversation].
func (c *conversation) Events() <-chan *pb.AgentEvent { return c.events }

// Err implements [socket.Conversation].
func (c *conversation) Err() error {
	if err := c.Conversation.Err(); err != nil && c.gone.Err() == nil {
		return explained(err)
	}
	return nil
}

// Close implements [socket.Conversation].
func (c *conversation) Close() {
	c.leave()
	c.Conversation.Close()
}

// explained returns an error with the daemon's own sentence as its text.
func explained(err error) error { return errors.New(exit.Explain(err)) }
