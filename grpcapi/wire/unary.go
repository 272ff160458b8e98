package wire

import (
	"slices"

	"google.golang.org/grpc"
)

// Streams registers services so that every call is served as a stream; a unary call receives one
// message. The bytes on the wire are the same. A unary interceptor would run after gRPC has read
// the whole request. On a stream nothing is read before the handler receives, which is after the
// caller was admitted.
type Streams struct {
	Server    *grpc.Server
	Intercept grpc.StreamServerInterceptor // gRPC calls it for the streams of the API
}

// RegisterService implements [grpc.ServiceRegistrar].
func (s Streams) RegisterService(d *grpc.ServiceDesc, impl any) {
	all := *d
	all.Methods, all.Streams = nil, slices.Clone(d.Streams)
	for _, m := range d.Methods {
		all.Streams = append(all.Streams, grpc.StreamDesc{StreamName: m.MethodName, Handler: s.unary(d.ServiceName, m)})
	}
	s.Server.RegisterService(&all, impl)
}

// unary returns the handler of a unary call on a stream.
func (s Streams) unary(service string, m grpc.MethodDesc) grpc.StreamHandler {
	info := &grpc.StreamServerInfo{FullMethod: "/" + service + "/" + m.MethodName}
	serve := func(srv any, stream grpc.ServerStream) error {
		reply, err := m.Handler(srv, stream.Context(), stream.RecvMsg, nil)
		if err != nil {
			return err
		}
		return stream.SendMsg(reply)
	}
	return func(srv any, stream grpc.ServerStream) error { return s.Intercept(srv, stream, info, serve) }
}
