package gateways

import (
	"context"
	"errors"
	"sync/atomic"

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
	return &conversation{Conversation: d.client.Converse(context.Background(), client.ConverseOptions{Start: start})}
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
	closed atomic.Bool
}

// Next implements [socket.Conversation]. A request that is lost is shown as an error.
func (c *conversation) Next(wait bool) *pb.AgentEvent {
	for {
		item, ok := c.item(wait)
		switch {
		case !ok:
			return nil
		case item.Lost != nil:
			return &pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{
				Message: "The daemon went away before it had the request; send it again",
			}}}
		case item.Event != nil:
			return item.Event
		} // else the connection broke, or is back
	}
}

func (c *conversation) item(wait bool) (item client.Item, ok bool) {
	if wait {
		item, ok = <-c.Items()
		return item, ok
	}
	select {
	case item, ok = <-c.Items():
	default:
	}
	return item, ok
}

// Err implements [socket.Conversation].
func (c *conversation) Err() error {
	if err := c.Conversation.Err(); err != nil && !c.closed.Load() {
		return explained(err)
	}
	return nil
}

// Close implements [socket.Conversation].
func (c *conversation) Close() {
	c.closed.Store(true)
	c.Conversation.Close()
}

// explained returns an error with the daemon's own sentence as its text.
func explained(err error) error { return errors.New(exit.Explain(err)) }
