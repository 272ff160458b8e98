package grpcapi

import (
	"context"
	"runtime/debug"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/recovery"
	"google.golang.org/grpc"

	"betcode/messages"
)

// The interceptors, from the outside in: who calls, the log, the error table,
// the door (who may come in, and do what; which features are on; what of it is
// unknown), recovery. There are no more than these, because a stream keeps the
// stack of its handler as long as it lasts. So a panic becomes an error of ours, an error of ours a status, and the
// log sees what the client sees.
func (s *Server) unaryInterceptors() []grpc.UnaryServerInterceptor {
	return []grpc.UnaryServerInterceptor{
		s.identifyUnary,
		s.logUnary(),
		errorsUnary,
		s.admitUnary,
		recovery.UnaryServerInterceptor(recovery.WithRecoveryHandlerContext(s.recovered)),
	}
}

func (s *Server) streamInterceptors() []grpc.StreamServerInterceptor {
	return []grpc.StreamServerInterceptor{
		s.identifyStream,
		s.logStream(),
		errorsStream,
		s.admitStream,
		recovery.StreamServerInterceptor(recovery.WithRecoveryHandlerContext(s.recovered)),
	}
}

func (s *Server) identifyUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	ctx, err := newCall(ctx, info.FullMethod, false)
	if err != nil {
		return nil, toStatus(err).Err()
	}
	c := callOf(ctx)
	if c.key, c.digest, err = keyIn(ctx, info.FullMethod, req); err != nil {
		return nil, toStatus(err).Err()
	}
	noteSession(ctx, req)
	s.frame(ctx, "in", req)
	reply, err := next(ctx, req)
	if err == nil {
		s.frame(ctx, "out", reply)
	}
	return reply, err
}

func (s *Server) identifyStream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	ctx, err := newCall(stream.Context(), info.FullMethod, true)
	if err != nil {
		return toStatus(err).Err()
	}
	return next(srv, tracked{stream, ctx, s})
}

// noteSession remembers for the log which session a request is about.
func noteSession(ctx context.Context, req any) {
	if r, ok := req.(interface{ GetSessionId() string }); ok {
		callOf(ctx).session = messages.SessionID(printable(r.GetSessionId()))
	}
}

func errorsUnary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if err := malformed(req); err != nil {
		return nil, toStatus(err).Err()
	}
	reply, err := next(ctx, req)
	if err != nil {
		return nil, toStatus(err).Err()
	}
	return reply, nil
}

func errorsStream(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if err := next(srv, stream); err != nil {
		return toStatus(err).Err()
	}
	return nil
}

// recovered makes an error of a panic. Called where the panic is recovered, so
// that the stack still shows it.
func (s *Server) recovered(ctx context.Context, p any) error {
	c := callOf(ctx)
	s.log.Error().Str(fieldTarget, target).Str(fieldSpan, span(c.method)).Str(fieldSession, string(c.session)).
		Interface("panic", p).Bytes("stack", debug.Stack()).Msg("handler panicked")
	return messages.Errorf("serve", messages.Internal, "this is a bug in the daemon").
		WithHint("Please report it, with the daemon's log of this moment.")
}

// guarded runs f in a handler's own goroutine, where the interceptors cannot
// catch what it throws.
func (s *Server) guarded(ctx context.Context, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = s.recovered(ctx, p)
		}
	}()
	return f()
}
