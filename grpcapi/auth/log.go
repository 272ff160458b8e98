package auth

import (
	"context"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Names of log fields, and the target of all lines of the gateway. Session, span and target
// are the names of the daemon document.
const (
	FieldSession = "session_id"
	FieldSpan    = "span"
	FieldTarget  = "target"
	FieldClient  = "client"
	fieldAddress = "address"
	FieldToken   = "token" // its name
	fieldPID     = "pid"
	fieldUID     = "uid"

	Target = "betcode/grpcapi"

	spanConnect = "grpc/connect"
)

// span returns a method as a span: "/betcode.v1.AgentService/Converse" becomes
// "grpc/AgentService/Converse".
func span(method string) string {
	return "grpc/" + strings.TrimPrefix(strings.TrimPrefix(method, "/"), "betcode.v1.")
}

// levelOf returns the level at which the end of a call is logged: info for streams, debug
// for unary calls that succeeded.
func levelOf(code codes.Code, stream bool) zerolog.Level {
	switch code {
	case codes.OK, codes.Canceled, codes.InvalidArgument, codes.NotFound, codes.AlreadyExists,
		codes.FailedPrecondition, codes.OutOfRange, codes.Aborted, codes.Unimplemented:
		if stream {
			return zerolog.InfoLevel
		}
		return zerolog.DebugLevel
	case codes.PermissionDenied, codes.Unauthenticated, codes.ResourceExhausted, codes.Unavailable,
		codes.DeadlineExceeded:
		return zerolog.WarnLevel
	case codes.Unknown, codes.Internal, codes.DataLoss:
		return zerolog.ErrorLevel
	}
	return zerolog.ErrorLevel
}

// logCall writes a line of the access log: the caller and the outcome of a call, never its
// content. what is the line's message. Health checks and reflection are logged at trace.
func (d *Interceptor) logCall(ctx context.Context, what string, took time.Duration, err error) {
	c, code := CallOf(ctx), status.Code(err)
	at := levelOf(code, c.stream)
	if at < zerolog.WarnLevel && strings.HasPrefix(c.method, "/grpc.") {
		at = zerolog.TraceLevel
	}
	e := d.log.WithLevel(at)
	if !e.Enabled() {
		return
	}
	e = e.Str(FieldTarget, Target).Str(FieldSpan, span(c.method)).Str(FieldClient, string(c.Client))
	if p, ok := PeerOf(ctx); ok && p.Address.IsValid() {
		e = e.Str(fieldAddress, p.Address.Addr().String()).Str(FieldToken, c.token)
	} else if ok {
		e = e.Int(fieldPID, p.PID).Int(fieldUID, p.UID)
	}
	if c.Session != "" {
		e = e.Str(FieldSession, string(c.Session))
	}
	if err != nil {
		e = e.Str("err", err.Error())
	}
	e.Str("code", code.String()).Float64("ms", float64(took.Microseconds())/1000).Msg(what)
}

// Log returns a line about the call of ctx, with the fields that identify it.
func (d *Interceptor) Log(ctx context.Context, level zerolog.Level) *zerolog.Event {
	c := CallOf(ctx)
	return d.log.WithLevel(level).Str(FieldTarget, Target).Str(FieldSpan, span(c.method)).Str(FieldSession, string(c.Session)).
		Str(FieldClient, string(c.Client)).Str(FieldToken, c.token)
}
