package grpcapi

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	pb "betcode/proto/betcode/v1"
)

// serveTCP starts a server on loopback and returns the address to dial.
func serveTCP(t *testing.T, o Options) (address string, dial func(options ...grpc.DialOption) *grpc.ClientConn) {
	t.Helper()
	s, dial := serveTCPServer(t, o)
	return s.listening, dial
}

// tcpServer returns a server and its address.
type tcpServer struct {
	*Server
	listening string
}

// serveTCPServer is serveTCP, and also returns the server.
func serveTCPServer(t *testing.T, o Options) (s tcpServer, dial func(options ...grpc.DialOption) *grpc.ClientConn) {
	t.Helper()
	s.Server = New(o)
	s.SetReady(true)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(func() { s.Shutdown(as(t, "")) })
	address := l.Addr().String()
	s.listening = address
	return s, func(options ...grpc.DialOption) *grpc.ClientConn {
		conn, err := grpc.NewClient("passthrough:///"+address, append([]grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}, options...)...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
}

// bearing returns the context of a client with a token.
func bearing(t *testing.T, client, name string) context.Context {
	return metadata.AppendToOutgoingContext(as(t, client), "authorization", "Bearer secret-"+name)
}

// codeOfCall returns the code of a call with an empty request.
func codeOfCall(ctx context.Context, conn *grpc.ClientConn, method string) error {
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, method)
	if err == nil {
		_ = stream.SendMsg(&pb.GetTreeRequest{}) // has no fields, so it decodes as any request
		_ = stream.CloseSend()
		err = stream.RecvMsg(&pb.ShutdownResponse{})
	}
	return err
}
