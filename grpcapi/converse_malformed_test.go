package grpcapi

import (
	"errors"
	"io"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// rawCodec sends bytes as they are.
type rawCodec struct{ wire.Codec }

func (rawCodec) Name() string { return "proto" }

// TestUndecodableRequests: gRPC would answer INTERNAL, but the error is the client's.
func TestUndecodableRequests(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	conn, _ := serve(t, asker)
	garbage := &messages.Event{Bytes: []byte{0x0a, 0xff}}
	raw := grpc.ForceCodecV2(rawCodec{wire.NewCodec()})

	err := conn.Invoke(as(t, "c"), pb.AgentService_RenameSession_FullMethodName, garbage, &pb.RenameSessionResponse{}, raw)
	if status.Code(err) != codes.InvalidArgument {
		t.Errorf("unary: %v", err)
	}
	stream, err := conn.NewStream(as(t, "c"), &pb.AgentService_ServiceDesc.Streams[1], pb.AgentService_ResumeSession_FullMethodName, raw)
	if err != nil {
		t.Fatal(err)
	}
	_ = stream.SendMsg(garbage)
	_ = stream.CloseSend()
	if err := stream.RecvMsg(&pb.AgentEvent{}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("server stream: %v", err)
	}

	bidi, err := conn.NewStream(as(t, "c"), &pb.AgentService_ServiceDesc.Streams[0], pb.AgentService_Converse_FullMethodName, raw)
	if err != nil {
		t.Fatal(err)
	}
	start, _ := proto.Marshal(startRequest(&pb.StartConversation{SessionId: sessionA}))
	_ = bidi.SendMsg(&messages.Event{Bytes: start})
	_ = bidi.SendMsg(garbage)
	_ = bidi.CloseSend()
	event := &pb.AgentEvent{}
	if err := bidi.RecvMsg(event); err != nil || event.GetError().GetCode() != "INVALID_ARGUMENT" || event.GetError().GetIsFatal() {
		t.Errorf("stream: %v %v", event, err)
	}
	if text := event.GetError().GetMessage(); strings.Contains(text, "u00a0") || !strings.Contains(text, "Encode AgentRequest") {
		t.Errorf("the text is not for people: %q", text)
	}
	if err := bidi.RecvMsg(event); !errors.Is(err, io.EOF) {
		t.Errorf("the stream ended with %v", err)
	}
}

func TestTooLargeARequest(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	conn, s := serve(t, asker)
	if s.options.MaxMessageBytes != DefaultMaxMessageBytes {
		t.Errorf("at most %d bytes", s.options.MaxMessageBytes)
	}
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	_ = stream.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{
		Attachments: []*pb.Attachment{{Filename: "a", MimeType: "a/b", Data: make([]byte, DefaultMaxMessageBytes)}},
	}}})
	if _, _, err := readAll(t, stream); status.Code(err) != codes.ResourceExhausted { // gRPC itself ends the stream
		t.Error(err)
	}
}
