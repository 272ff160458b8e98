package grpcapi

import (
	"context"
	"encoding/binary"
	"io"
	"testing"
	"time"

	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// FuzzAgentRequestStream: for any requests in any order, nothing panics, the stream ends, and only
// valid requests reach a session.
func FuzzAgentRequestStream(f *testing.F) {
	object, _ := structpb.NewStruct(map[string]any{"command": "ls"})
	start := startRequest(&pb.StartConversation{SessionId: sessionA, WorkingDirectory: "/w", FromSequence: 1})
	for _, requests := range [][]*pb.AgentRequest{
		{},
		{start},
		{messageRequest("x", "")},
		{start, messageRequest("hello", keyA), messageRequest("", "")},
		{start, start, {}},
		{start, {Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
			RequestId: "r", Decision: pb.PermissionDecision_ALLOW_WITH_EDIT, UpdatedInput: object, IdempotencyKey: "x",
		}}}},
		{start, {Request: &pb.AgentRequest_QuestionResponse{QuestionResponse: &pb.UserQuestionResponse{QuestionId: "q/1", Answers: map[string]string{"a": "b"}}}}},
		{
			start,
			{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{Reason: "r"}}},
			{Request: &pb.AgentRequest_Lock{Lock: &pb.InputLockAction{Action: 1}}},
			{Request: &pb.AgentRequest_Settings{Settings: &pb.SessionSettingsChange{Model: "m"}}},
			{Request: &pb.AgentRequest_Encrypted{Encrypted: &pb.EncryptedEnvelope{}}},
		},
	} {
		var seed []byte
		for _, r := range requests {
			raw, err := proto.Marshal(r)
			if err != nil {
				f.Fatal(err)
			}
			seed = binary.BigEndian.AppendUint16(seed, uint16(len(raw)))
			seed = append(seed, raw...)
		}
		f.Add(seed)
	}
	f.Add([]byte{0, 4, 0x1a, 0x02, 0x1a, 0xff})

	f.Fuzz(func(t *testing.T, data []byte) {
		asker := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
			checkSound(t, r)
			if _, ok := r.(messages.StartSession); ok {
				return messages.SessionStarted{View: messages.SessionView{Record: messages.SessionRecord{Head: 1 << 40}}}, nil
			}
			return nil, nil
		}}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		stream := &fuzzStream{ctx: ctx, data: data, codec: wire.NewCodec()}
		done := make(chan error, 1)
		s := New(Options{Asker: asker})
		go func() {
			err := agentService{server: s}.Converse(stream)
			_ = wire.Status(err)
			done <- err
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("the stream does not end")
		}
	})
}

// checkSound fails on requests that the gateway must refuse.
func checkSound(t *testing.T, r messages.Request) {
	t.Helper()
	if m, ok := r.(messages.SessionRequest); ok && wire.CanonicalUUID(string(m.Target())) != string(m.Target()) {
		t.Errorf("%T for the session %q", r, m.Target())
	}
	switch m := r.(type) {
	case messages.SendInput:
		if wire.CanonicalUUID(m.Key) != m.Key || len(m.Content) > translate.MaxContentBytes {
			t.Errorf("input %+v", m)
		}
	case messages.AnswerPermission:
		if m.Request == "" || m.Decision == messages.Undecided || (m.Decision == messages.AllowWithEdit) != (m.Updated != nil) {
			t.Errorf("answer %+v", m)
		}
	}
}

// fuzzStream is the server's end of a stream on which the client sends data: messages, each with
// its length in two bytes before it.
type fuzzStream struct {
	grpcStream
	ctx   context.Context
	data  []byte
	codec wire.Codec
}

func (s *fuzzStream) Context() context.Context     { return s.ctx }
func (s *fuzzStream) SendHeader(metadata.MD) error { return nil }
func (s *fuzzStream) SendMsg(any) error            { return nil }
func (s *fuzzStream) Send(e *pb.AgentEvent) error  { _, err := proto.Marshal(e); return err }
func (s *fuzzStream) RecvMsg(any) error            { return io.EOF }
func (s *fuzzStream) Recv() (*pb.AgentRequest, error) {
	if len(s.data) < 2 {
		return nil, io.EOF
	}
	n := min(int(binary.BigEndian.Uint16(s.data)), len(s.data)-2)
	piece := s.data[2 : 2+n]
	s.data = s.data[2+n:]
	request := &pb.AgentRequest{}
	if err := decode(s.codec, piece, request); err != nil {
		return nil, err
	}
	return request, wire.Malformed(request)
}
