package grpcapi

import (
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // for clients that send compressed requests

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// DefaultMaxMessageBytes bounds a request by default.
const DefaultMaxMessageBytes = 64 << 20

// Types of the options, from packages handler and auth.
type (
	// Stream is the reading end of one attached stream.
	Stream = handler.Stream
	// Limits bound the rate of requests of one caller.
	Limits = auth.Limits
	// TCPOptions configure connections over TCP.
	TCPOptions = auth.TCPOptions
)

// Options configure a [Server].
type Options struct {
	// Asker answers all requests. Required.
	Asker handler.Asker
	// Logger; nil logs nothing.
	Logger *zerolog.Logger
	// Version of the daemon, for VersionService.
	Version string
	// ClaudeVersion returns the version of the agent, empty while it is not known. May be nil.
	ClaudeVersion func() string
	// Features returns the feature flags of the settings. It is called for every request;
	// nil = the settings have none.
	Features func() map[string]bool
	// GitLab serves GitLabService; nil = its calls are unimplemented.
	GitLab pb.GitLabServiceServer
	// MaxMessageBytes bounds a request. 0 = DefaultMaxMessageBytes.
	MaxMessageBytes int
	// Credentials of the transport. nil = peer credentials over the Unix socket, where only
	// the user that runs the daemon may connect, and tokens over TCP. With other credentials
	// callers have every right.
	Credentials credentials.TransportCredentials
	// Restricted reports whether the process that connects over the Unix socket may only
	// view, see [auth.Options].
	Restricted func(pid int) (bool, error)
	// Fleet identifies fleet servers, see [auth.Options]; nil = there are none.
	Fleet func(ticket string, pid int) (messages.SessionID, error)
	// Audit is the audit log; nil = none is kept.
	Audit auth.Auditor
	// Tokens authenticates callers over TCP; nil = no token is valid.
	Tokens auth.Tokens
	// TCP configures connections over TCP.
	TCP auth.TCPOptions
	// Limits bound the rate of requests of one caller; the zero value is no limit.
	Limits auth.Limits

	bodyTimeout time.Duration // for tests: how long the rest of a request may take
}
