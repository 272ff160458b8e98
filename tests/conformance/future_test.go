package conformance

import (
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// futureStories are about clients and daemons of another time.
var futureStories = []story{
	{name: "another time", env: []string{"BETCODE_LOG_LEVEL=debug"}, run: anotherTime},
}

// unknown is a field of no schema: number 2047, a varint.
var unknown = []byte{0xf8, 0x7f, 0x01}

// anotherTime: a client that is newer than the daemon, and one that is older.
func anotherTime(s *stage) {
	// The daemon accepts a request with unknown fields and logs them at debug level.
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	request := &pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: "echo:understood"}}}
	request.ProtoReflect().SetUnknown(unknown)
	s.must(c.Send(request))
	_, next := s.wait(c, 0, isTextWith("understood"))
	_, next = s.wait(c, next, kit.IsIdle)
	if entry := s.logged("unknown to this daemon"); entry["level"] != "debug" {
		s.Errorf("logged as %v", entry)
	}
	details, err := pb.NewBetCodeHealthClient(s.daemon.Conn()).GetHealthDetails(s.Context(), &pb.HealthDetailsRequest{})
	s.must(err)
	if n := details.GetMetadata()["unknown_fields_received"]; n != "1" {
		s.Errorf("%s fields are counted", n)
	}
	s.shows("Unknown Field Policy", "Daemon (server): preserve and log")

	// A call and a value that it does not know are refused, and nothing else is.
	err = s.daemon.Conn().Invoke(s.Context(), "/betcode.v1.AgentService/FromTheFuture", &pb.GetVersionRequest{}, &pb.GetVersionResponse{})
	s.refused(err, codes.Unimplemented)
	s.say(c, "run:true")
	asked, next := s.wait(c, next, kit.IsPermission)
	s.must(c.Answer(asked.GetPermissionRequest().GetRequestId(), pb.PermissionDecision(99), ""))
	_, next = s.wait(c, next, isError("INVALID_ARGUMENT"))
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE)
	s.wait(c, next, kit.IsIdle)

	// The command line accepts unknown fields of a newer daemon.
	path := filepath.Join(s.world.Root, "future.sock")
	stop, err := future(path, s.world.Socket())
	s.must(err)
	defer stop()
	env := append(s.world.Environ(), "BETCODE_SOCKET="+path)
	for _, args := range [][]string{{"session", "list"}, {"run", "echo:hello"}} {
		if said, code := s.command(env, args...); code != 0 || strings.Contains(said, "unknown") {
			s.Errorf("%q with a daemon from the future: exit %d\n%s", args, code, said)
		}
	}
	s.shows("Unknown Field Policy", "CLI (client): ignore silently")
	s.shows("Version Rules", "New message/field (optional)", "New RPC method", "New enum value")
}

// future is a proxy in front of a daemon that adds an unknown field to all replies.
func future(at, daemon string) (stop func(), err error) {
	conn, err := grpc.NewClient("unix:"+daemon, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(bytesCodec{})))
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("unix", at)
	if err != nil {
		return nil, err
	}
	server := grpc.NewServer(grpc.ForceServerCodecV2(bytesCodec{}), grpc.UnknownServiceHandler(func(_ any, in grpc.ServerStream) error {
		return pass(conn, in)
	}))
	go func() { _ = server.Serve(listener) }()
	return func() { server.Stop(); conn.Close() }, nil
}

// pass passes one call on.
func pass(conn *grpc.ClientConn, in grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(in)
	said, _ := metadata.FromIncomingContext(in.Context())
	out, err := conn.NewStream(metadata.NewOutgoingContext(in.Context(), said),
		&grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		return err
	}
	go func() {
		for {
			var m []byte
			if err := in.RecvMsg(&m); err != nil {
				_ = out.CloseSend()
				return
			}
			if err := out.SendMsg(&m); err != nil {
				return
			}
		}
	}()
	if _, err := out.Header(); err != nil {
		return err
	}
	if err := in.SendHeader(nil); err != nil {
		return err
	}
	for {
		var m []byte
		err := out.RecvMsg(&m)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !strings.HasPrefix(method, "/grpc.") {
			m = append(m, unknown...)
		}
		if err := in.SendMsg(&m); err != nil {
			return err
		}
	}
}

// bytesCodec leaves messages as they are.
type bytesCodec struct{}

// Name implements encoding.CodecV2.
func (bytesCodec) Name() string { return "proto" }

// Marshal implements encoding.CodecV2.
func (bytesCodec) Marshal(v any) (mem.BufferSlice, error) {
	b, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("encode: %T is no bytes", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(*b)}, nil
}

// Unmarshal implements encoding.CodecV2.
func (bytesCodec) Unmarshal(data mem.BufferSlice, v any) error {
	b, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("decode: %T is no bytes", v)
	}
	*b = data.Materialize()
	return nil
}
