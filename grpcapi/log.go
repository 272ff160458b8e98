package grpcapi

import (
	"context"
	"strings"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/logging"
	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
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

// levelOf is the level at which the end of a call is logged, by its code.
func levelOf(c codes.Code) logging.Level {
	switch c {
	case codes.OK, codes.Canceled, codes.InvalidArgument, codes.NotFound, codes.AlreadyExists,
		codes.FailedPrecondition, codes.OutOfRange, codes.Aborted, codes.Unimplemented:
		return logging.LevelInfo
	case codes.PermissionDenied, codes.Unauthenticated, codes.ResourceExhausted, codes.Unavailable,
		codes.DeadlineExceeded:
		return logging.LevelWarn
	case codes.Unknown, codes.Internal, codes.DataLoss:
		return logging.LevelError
	}
	return logging.LevelError
}

func (s *Server) logUnary() grpc.UnaryServerInterceptor {
	return logging.UnaryServerInterceptor(logging.LoggerFunc(s.logCall),
		logging.WithLogOnEvents(logging.FinishCall), logging.WithLevels(levelOf))
}

func (s *Server) logStream() grpc.StreamServerInterceptor {
	return logging.StreamServerInterceptor(logging.LoggerFunc(s.logCall),
		logging.WithLogOnEvents(logging.FinishCall), logging.WithLevels(levelOf))
}

// logCall is the access log: a line for the end of each call, with who called and never
// with what was said: streams as what clients do (info), unary
// calls that went well as detail (debug), probes and lookups hardly at all.
func (s *Server) logCall(ctx context.Context, level logging.Level, _ string, fields ...any) {
	c := callOf(ctx)
	at := zerolog.ErrorLevel
	switch {
	case level == logging.LevelWarn:
		at = zerolog.WarnLevel
	case level == logging.LevelInfo && c.stream:
		at = zerolog.InfoLevel
	case level == logging.LevelInfo:
		at = zerolog.DebugLevel
	}
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
	for i := 0; i+1 < len(fields); i += 2 {
		switch fields[i] {
		case "grpc.code":
			e = e.Interface("code", fields[i+1])
		case "grpc.time_ms":
			e = e.Interface("ms", fields[i+1])
		case "grpc.error":
			e = e.Interface("err", fields[i+1])
		}
	}
	e.Msg("call ended")
}
