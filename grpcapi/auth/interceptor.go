package auth

import (
	"context"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/wire"
	"betcode/messages"
)

// Options configure an [Interceptor].
type Options struct {
	// Logger gets the access log. Required.
	Logger *zerolog.Logger
	// Restricted reports whether the process that connects over the Unix socket may only
	// view. After an error it may only view too. It is called once per connection; nil = no
	// process is restricted.
	Restricted func(pid int) (bool, error)
	// Fleet returns the session whose fleet server a process is, by the ticket that it presents
	// ([FleetTicket]); an error refuses the call. It is called for each call with a ticket;
	// nil = there are none.
	Fleet func(ticket string, pid int) (messages.SessionID, error)
	// Audit is the audit log; nil = none is kept.
	Audit Auditor
	// Tokens authenticates callers over TCP; nil = no token is valid.
	Tokens Tokens
	// TCP configures connections over TCP.
	TCP TCPOptions
	// Limits bound the rate of requests of one caller.
	Limits Limits
	// MaxMessageBytes bounds a request.
	MaxMessageBytes int
	// BodyTimeout is how long the rest of a request may take; 0 = the default.
	BodyTimeout time.Duration
	// Gate refuses a method that settings have switched off. Required.
	Gate func(method string) error
	// Exists reports whether a session exists. Required.
	Exists func(ctx context.Context, session string) (bool, error)
}

// Interceptor admits calls: it authenticates the caller, checks its rights and limits, reads
// its requests, and writes the access log and the audit log. It is safe for concurrent use.
type Interceptor struct {
	options  Options
	log      *zerolog.Logger
	limits   limits
	refusals *summaries
	requests *wire.Reader
	slots    slots
	unknown  atomic.Int64 // unknown fields that were received
}

// New returns an Interceptor. Call Close after the last call has ended.
func New(o Options) *Interceptor {
	d := &Interceptor{options: o, log: o.Logger, limits: newLimits(o.Limits), requests: wire.NewReader(o.MaxMessageBytes)}
	d.refusals = newSummaries(d.refusedMany)
	if o.BodyTimeout > 0 {
		d.requests.SetBodyTimeout(o.BodyTimeout)
	}
	return d
}

// Credentials returns the transport credentials that identify callers.
func (d *Interceptor) Credentials() credentials.TransportCredentials {
	return newTransportCredentials(d.options, d.log, d.refusals)
}

// Requests returns the reader of requests.
func (d *Interceptor) Requests() *wire.Reader { return d.requests }

// UnknownFields returns the number of received fields that this daemon does not know.
func (d *Interceptor) UnknownFields() int64 { return d.unknown.Load() }

// Close reports refusals that were counted and not yet reported.
func (d *Interceptor) Close() { d.refusals.close() }

// Intercept is a grpc.StreamServerInterceptor. It is one function instead of a chain of
// interceptors, because a stream retains its stack and the allocations of each interceptor until it
// ends. All calls are streams, see [wire.Streams].
func (d *Interceptor) Intercept(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	ctx, err := newCall(stream.Context(), info.FullMethod, info.IsClientStream || info.IsServerStream)
	if err != nil {
		return wire.Status(err).Err()
	}
	CallOf(ctx).clientStream = info.IsClientStream
	began := time.Now()
	return d.ended(ctx, began, d.admit(ctx, srv, stream, next))
}

// ended logs how a call ended, and returns the status for its client.
func (d *Interceptor) ended(ctx context.Context, began time.Time, err error) error {
	if err != nil {
		err = wire.Status(err).Err()
	}
	if c := CallOf(ctx); !c.refused && !d.repeats(ctx, c, status.Code(err)) {
		d.logCall(ctx, "call ended", time.Since(began), err)
	}
	return err
}

// NoteSession records the session of a request for the log.
func NoteSession(ctx context.Context, req any) {
	if r, ok := req.(interface{ GetSessionId() string }); ok {
		CallOf(ctx).Session = messages.SessionID(wire.Printable(r.GetSessionId()))
	}
}

// Guard calls f and returns a panic of f as an error, after logging it with its stack.
func (d *Interceptor) Guard(ctx context.Context, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c := CallOf(ctx)
			d.log.Error().Str(FieldTarget, Target).Str(FieldSpan, span(c.method)).Str(FieldSession, string(c.Session)).
				Interface("panic", p).Bytes("stack", debug.Stack()).Msg("handler panicked")
			err = messages.Errorf("serve", messages.Internal, "this is a bug in the daemon").
				WithHint("Please report it, with the daemon's log of this time.")
		}
	}()
	return f()
}
