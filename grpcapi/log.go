package grpcapi

import (
	"context"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Names of log fields. The first three are those of the daemon document.
const (
	fieldSession = "session_id"
	fieldSpan    = "span"
	fieldTarget  = "target"
	fieldClient  = "client"
	fieldAddress = "address"
	fieldToken   = "token" // its name
	fieldPID     = "pid"
	fieldUID     = "uid"

	target = "betcode/grpcapi"

	spanConnect = "grpc/connect"
)

// span is a method as a span: "/betcode.v1.AgentService/Converse" becomes
// "grpc/AgentService/Converse".
func span(method string) string {
	return "grpc/" + strings.TrimPrefix(strings.TrimPrefix(method, "/"), "betcode.v1.")
}

// levelOf is the level at which the end of a call is logged: streams are what clients do
// (info), unary calls that went well detail (debug).
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

// logCall is the access log: a line for the end of each call, with who called and never
// with what was said. what is the line's message. Probes and lookups are hardly worth it.
func (s *Server) logCall(ctx context.Context, what string, took time.Duration, err error) {
	c, code := callOf(ctx), status.Code(err)
	at := levelOf(code, c.stream)
	if at < zerolog.WarnLevel && strings.HasPrefix(c.method, "/grpc.") {
		at = zerolog.TraceLevel
	}
	e := s.log.WithLevel(at)
	if !e.Enabled() {
		return
	}
	e = e.Str(fieldTarget, target).Str(fieldSpan, span(c.method)).Str(fieldClient, string(c.client))
	if p, ok := PeerOf(ctx); ok && p.Address.IsValid() {
		e = e.Str(fieldAddress, p.Address.Addr().String()).Str(fieldToken, c.token)
	} else if ok {
		e = e.Int(fieldPID, p.PID).Int(fieldUID, p.UID)
	}
	if c.session != "" {
		e = e.Str(fieldSession, string(c.session))
	}
	if err != nil {
		e = e.Str("err", err.Error())
	}
	e.Str("code", code.String()).Float64("ms", float64(took.Microseconds())/1000).Msg(what)
}
