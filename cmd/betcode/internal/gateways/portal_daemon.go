package gateways

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/client"
	"betcode/gateway/portal"
	"betcode/gateway/portal/proxies"
	pb "betcode/proto/betcode/v1"
)

// portalDaemon implements [portal.Daemon] over a connection.
type portalDaemon struct{ client *client.Client }

// portalError maps an error of the daemon to the errors that the portal distinguishes.
func portalError(err error) error {
	switch status.Code(err) { //nolint:exhaustive // the others have one answer
	case codes.OK:
		return nil
	case codes.NotFound:
		return portal.ErrNotFound
	case codes.Unauthenticated:
		return portal.ErrUnauthenticated
	case codes.PermissionDenied:
		return portal.ErrDenied
	case codes.InvalidArgument:
		return fmt.Errorf("%w: %w", portal.ErrInvalid, explained(err))
	case codes.FailedPrecondition:
		return portal.StateError{Why: explained(err).Error()}
	}
	return explained(err)
}

// Caller implements [portal.Daemon].
func (d portalDaemon) Caller(ctx context.Context) (portal.Caller, error) {
	c, err := d.client.Access.GetCaller(ctx, &pb.GetCallerRequest{})
	if err != nil {
		return portal.Caller{}, portalError(err)
	}
	out := portal.Caller{Token: c.GetToken(), Person: c.GetPerson(), Scopes: c.GetScopes()}
	if out.Shared = c.GetShared(); out.Shared {
		out.Roles = map[string]string{}
		for _, m := range c.GetMemberships() {
			out.Roles[m.GetSessionId()] = m.GetRole()
		}
	}
	if at := c.GetExpiresAt(); at != nil {
		out.Expires = at.AsTime()
	}
	return out, nil
}

// Sessions implements [portal.Daemon].
func (d portalDaemon) Sessions(ctx context.Context) (all []*pb.SessionSummary, err error) {
	for {
		page, err := d.client.Agent.ListSessions(ctx, &pb.ListSessionsRequest{Limit: pageSize, Offset: uint32(len(all))}) //nolint:gosec // less than the sessions that fit a journal
		if err != nil {
			return nil, portalError(err)
		}
		if all = append(all, page.GetSessions()...); len(page.GetSessions()) < pageSize {
			return all, nil
		}
	}
}

// Show implements [portal.Daemon].
func (d portalDaemon) Show(ctx context.Context, session string) (portal.Session, error) {
	s, err := d.client.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: session})
	if err != nil {
		return portal.Session{}, portalError(err)
	}
	return portal.Session{
		Summary: s.GetSummary(), Head: s.GetHead(), Before: max(s.GetBoundary(), s.GetLowWater()), ForkedFrom: s.GetForkedFrom().GetSessionId(),
	}, nil
}

// History implements [portal.Daemon].
func (d portalDaemon) History(ctx context.Context, of portal.Session, each func(*pb.AgentEvent)) error {
	stream, err := d.client.Admin.ExportSession(ctx, &pb.ExportSessionRequest{SessionId: of.Summary.GetId()})
	if err != nil {
		return portalError(err)
	}
	return portalError(client.Each(stream, func(e *pb.AgentEvent) error {
		if e.GetSequence() > of.Before {
			each(e)
		}
		return nil
	}))
}

// Follow implements [portal.Daemon].
func (d portalDaemon) Follow(session string, after uint64) portal.Conversation {
	return newReading(d.client, session, after)
}

// Write implements [portal.Daemon].
func (d portalDaemon) Write(session string) portal.Conversation { return newWriting(d.client, session) }

// Stop implements [portal.Daemon].
func (d portalDaemon) Stop(ctx context.Context, session string) error {
	_, err := d.client.Admin.StopSession(ctx, &pb.StopSessionRequest{SessionId: session})
	return portalError(err)
}

// Continue implements [portal.Daemon].
func (d portalDaemon) Continue(ctx context.Context, session string) error {
	_, err := d.client.Admin.ContinueSession(ctx, &pb.ContinueSessionRequest{SessionId: session})
	return portalError(err)
}

// Fork implements [portal.Daemon].
func (d portalDaemon) Fork(ctx context.Context, session, name string) (string, error) {
	made, err := d.client.Admin.ForkSession(ctx, &pb.ForkSessionRequest{SessionId: session, Name: name})
	return made.GetSessionId(), portalError(err)
}

// StopRepeat implements [portal.Daemon].
func (d portalDaemon) StopRepeat(ctx context.Context, session string) error {
	_, err := d.client.Admin.StopRepeat(ctx, &pb.StopRepeatRequest{SessionId: session})
	return portalError(err)
}

// Delete implements [portal.Daemon].
func (d portalDaemon) Delete(ctx context.Context, session string) error {
	_, err := d.client.Agent.DeleteSession(ctx, &pb.DeleteSessionRequest{SessionId: session})
	return portalError(err)
}

// Proxy implements [portal.Daemon].
func (d portalDaemon) Proxy(ctx context.Context) (proxies.Call, error) {
	call, err := d.client.Proxy.Connect(ctx)
	if err != nil {
		return nil, proxyError(err)
	}
	return proxyCall{call}, nil
}

// proxyError maps an error of the daemon to the errors that package proxies distinguishes.
func proxyError(err error) error {
	switch status.Code(err) { //nolint:exhaustive // the others are as for pages
	case codes.Aborted:
		return proxies.ErrTakenOver
	case codes.FailedPrecondition:
		return proxies.ErrEnded
	case codes.InvalidArgument:
		return fmt.Errorf("%w: %s", proxies.ErrInvalid, status.Convert(err).Message())
	case codes.Canceled:
		return context.Canceled
	}
	return portalError(err)
}

// proxyCall implements [proxies.Call].
type proxyCall struct {
	pb.ProxyService_ConnectClient
}

// Recv implements [proxies.Call].
func (c proxyCall) Recv() (*pb.ProxyEvent, error) {
	e, err := c.ProxyService_ConnectClient.Recv()
	if err == nil || errors.Is(err, io.EOF) {
		return e, err
	}
	return nil, proxyError(err)
}

// Close implements [portal.Daemon].
func (d portalDaemon) Close() error { return d.client.Close() }
