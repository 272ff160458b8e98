package client

import (
	"cmp"
	"context"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/local"
	pb "betcode/proto/betcode/v1"
)

// The metadata with the id and the kind of the client, with the ticket of a fleet server, and with
// the token of a gateway's client.
const (
	clientIDKey    = "x-client-id"
	clientTypeKey  = "x-client-type"
	ticketKey      = "x-fleet-ticket"
	callerTokenKey = "x-caller-token"
)

// maxEventBytes bounds a message that this client accepts; events of the daemon have less than 4 MiB.
const maxEventBytes = 16 << 20

// Options is how to reach a daemon.
type Options struct {
	Socket string  // path of its Unix socket, or name of its pipe
	Remote *Remote // for TCP instead of the socket; nil = socket
	Ticket string  // of the fleet server that calls; empty for people
	Caller string  // secret of the token whose rights calls over the socket have; empty for those of this process
	Identity
	// Dial replaces the socket, for tests.
	Dial func(ctx context.Context) (net.Conn, error)
}

// Identity is how a client names itself to the daemon and to other clients.
type Identity struct {
	ID   string // for the input lock and for "who answered"; empty = the daemon makes one up
	Type string // what kind of client it is; empty = "cli"
}

// Client is a connection to a daemon for single calls. It connects with the first
// call.
type Client struct {
	Agent    pb.AgentServiceClient
	Admin    pb.AdminServiceClient
	Access   pb.AccessServiceClient
	Search   pb.SearchServiceClient
	Health   pb.BetCodeHealthClient
	Version  pb.VersionServiceClient
	Machine  pb.MachineServiceClient
	Worktree pb.WorktreeServiceClient
	Subagent pb.SubagentServiceClient
	Repo     pb.GitRepoServiceClient
	Fleet    pb.FleetServiceClient
	GitLab   pb.GitLabServiceClient
	Config   pb.ConfigServiceClient
	Command  pb.CommandServiceClient
	Proxy    pb.ProxyServiceClient

	options Options
	conn    *grpc.ClientConn
}

// New returns a client. The caller closes it.
func New(o Options) (*Client, error) {
	if o.Dial == nil {
		o.Dial = func(ctx context.Context) (net.Conn, error) { return local.Dial(ctx, o.Socket) }
	}
	conn, err := dial(o)
	if err != nil {
		return nil, err
	}
	return &Client{
		Agent:    pb.NewAgentServiceClient(conn),
		Admin:    pb.NewAdminServiceClient(conn),
		Access:   pb.NewAccessServiceClient(conn),
		Search:   pb.NewSearchServiceClient(conn),
		Health:   pb.NewBetCodeHealthClient(conn),
		Version:  pb.NewVersionServiceClient(conn),
		Machine:  pb.NewMachineServiceClient(conn),
		Subagent: pb.NewSubagentServiceClient(conn),
		Worktree: pb.NewWorktreeServiceClient(conn), Repo: pb.NewGitRepoServiceClient(conn), Fleet: pb.NewFleetServiceClient(conn),
		GitLab:  pb.NewGitLabServiceClient(conn),
		Config:  pb.NewConfigServiceClient(conn),
		Command: pb.NewCommandServiceClient(conn),
		Proxy:   pb.NewProxyServiceClient(conn),
		options: o, conn: conn,
	}, nil
}

// ID returns the id of this client for the daemon and other clients; empty if the daemon generates one.
func (c *Client) ID() string { return c.options.ID }

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Ping connects and asks for the daemon's health. It reports whether the daemon
// serves, and returns an error if it does not answer.
func (c *Client) Ping(ctx context.Context) (serving bool, err error) { return c.Serving(ctx, "") }

// Serving is Ping for one of its services.
func (c *Client) Serving(ctx context.Context, service string) (serving bool, err error) {
	r, err := healthpb.NewHealthClient(c.conn).Check(ctx, &healthpb.HealthCheckRequest{Service: service})
	if err != nil {
		return false, err
	}
	return r.GetStatus() == healthpb.HealthCheckResponse_SERVING, nil
}

// Unreachable reports whether err means that no daemon answers at the socket.
func Unreachable(err error) bool { return status.Code(err) == codes.Unavailable }

// dial returns a connection. The connection to a socket has no TLS: the directory of
// the socket is closed to other users, and [local.Dial] checks its owner.
func dial(o Options) (*grpc.ClientConn, error) {
	if o.Remote != nil {
		return o.Remote.dial(o.Identity)
	}
	options := common(o.Identity)
	if o.Ticket != "" {
		options = append(options, grpc.WithPerRPCCredentials(ticket(o.Ticket)))
	}
	if o.Caller != "" {
		options = append(options, grpc.WithPerRPCCredentials(callerToken(o.Caller)))
	}
	return grpc.NewClient("passthrough:///betcode", append(options,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return o.Dial(ctx) }),
	)...)
}

// common returns the options of every connection, over a socket or TCP.
func common(id Identity) []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithPerRPCCredentials(id),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxEventBytes), grpc.ForceCodecV2(newCodec())),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 20 * time.Second}),
	}
}

// GetRequestMetadata implements credentials.PerRPCCredentials: it adds the identity to the
// metadata of every call.
func (i Identity) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	if i.ID == "" {
		return nil, nil
	}
	return map[string]string{clientIDKey: i.ID, clientTypeKey: cmp.Or(i.Type, "cli")}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (Identity) RequireTransportSecurity() bool { return false }

// ticket adds the ticket of a fleet server to the metadata of every call.
type ticket string

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (t ticket) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{ticketKey: string(t)}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (ticket) RequireTransportSecurity() bool { return false }

// callerToken adds the token of a gateway's client to the metadata of every call.
type callerToken string

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (t callerToken) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{callerTokenKey: string(t)}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (callerToken) RequireTransportSecurity() bool { return false }
