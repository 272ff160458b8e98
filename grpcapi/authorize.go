package grpcapi

import (
	"context"

	"google.golang.org/grpc"
)

// What stands at the door: who may not come in, or not do what is asked, is turned
// away here, and calls that need the admin right are written down.

func (s *Server) admitUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (reply any, err error) {
	defer func() { s.auditAdmin(ctx, info.FullMethod, err) }()
	if err := allow(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

func (s *Server) admitStream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	defer func() { s.auditAdmin(stream.Context(), info.FullMethod, err) }()
	if err := allow(stream.Context(), info.FullMethod); err != nil {
		return err
	}
	return next(srv, stream)
}
