package grpcapi

import (
	"slices"

	"google.golang.org/grpc"
)

// streams registers services so that every call is served as a stream, on which one
// message is received where the call has one. On the wire that is the same. A unary
// interceptor runs when gRPC has read the request, up to the largest that is taken; of a
// stream nothing is read until somebody asks for it, and that is after the door (see
// authorize.go).
type streams struct {
	server    *grpc.Server
	intercept grpc.StreamServerInterceptor // gRPC itself calls it for what streams on the wire
}

// RegisterService implements grpc.ServiceRegistrar.
func (s streams) RegisterService(d *grpc.ServiceDesc, impl any) {
	all := *d
	all.Methods, all.Streams = nil, slices.Clone(d.Streams)
	for _, m := range d.Methods {
		all.Streams = append(all.Streams, grpc.StreamDesc{StreamName: m.MethodName, Handler: s.unary(d.ServiceName, m)})
	}
	s.server.RegisterService(&all, impl)
}

// unary is the handler of a unary call on a stream.
func (s streams) unary(service string, m grpc.MethodDesc) grpc.StreamHandler {
	info := &grpc.StreamServerInfo{FullMethod: "/" + service + "/" + m.MethodName}
	serve := func(srv any, stream grpc.ServerStream) error {
		reply, err := m.Handler(srv, stream.Context(), stream.RecvMsg, nil)
		if err != nil {
			return err
		}
		return stream.SendMsg(reply)
	}
	return func(srv any, stream grpc.ServerStream) error { return s.intercept(srv, stream, info, serve) }
}
