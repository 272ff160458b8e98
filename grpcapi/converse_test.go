package grpcapi

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

type converseClient = grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent]

// converse opens a stream and sends the first request.
func converse(t *testing.T, conn *grpc.ClientConn, start *pb.StartConversation) converseClient {
	t.Helper()
	stream := must[converseClient](t)(pb.NewAgentServiceClient(conn).Converse(as(t, "cli-1")))
	start = proto.CloneOf(start)
	start.KeepsPrompts = true
	if err := stream.Send(startRequest(start)); err != nil {
		t.Fatal(err)
	}
	return stream
}

// readAll reads to the end and returns the numbers, the errors, and the status.
func readAll(t *testing.T, stream grpc.ServerStreamingClient[pb.AgentEvent]) (seqs []uint64, failures []*pb.ErrorEvent, end error) {
	t.Helper()
	for {
		event, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return seqs, failures, nil
		}
		if err != nil {
			return seqs, failures, err
		}
		if e := event.GetError(); e != nil {
			failures = append(failures, e)
			continue
		}
		seqs = append(seqs, event.GetSequence())
	}
}

func TestHeadersComeBeforeAnythingIsSaid(t *testing.T) {
	conn, _ := serve(t, &fakeAsker{})
	stream := must[converseClient](t)(pb.NewAgentServiceClient(conn).Converse(as(t, "cli-1")))
	if _, err := stream.Header(); err != nil {
		t.Fatal(err)
	}
	_ = stream.CloseSend()
	if _, _, err := readAll(t, stream); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a stream that says nothing ends with %v", err)
	}
}

func TestFirstMessageMustBeStart(t *testing.T) {
	conn, _ := serve(t, &fakeAsker{})
	stream := must[converseClient](t)(pb.NewAgentServiceClient(conn).Converse(as(t, "cli-1")))
	_ = stream.Send(messageRequest("hello", ""))
	_, failures, err := readAll(t, stream)
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(status.Convert(err).Message(), "StartConversation") {
		t.Errorf("status %v", err)
	}
	if len(failures) != 1 || !failures[0].GetIsFatal() || failures[0].GetCode() != "INVALID_ARGUMENT" {
		t.Errorf("events %v", failures)
	}
	if name := requestName(&pb.AgentRequest{Request: &pb.AgentRequest_Encrypted{}}); name != "of type EncryptedEnvelope" {
		t.Errorf("named %q", name)
	}
}

// TestBytesPassThrough checks that the bytes of an event reach the client unchanged, including unknown fields.
func TestBytesPassThrough(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	conn, _ := serve(t, asker)
	unknown := textEvent(t, 1, "hi")
	unknown.Bytes = protowire.AppendString(protowire.AppendTag(unknown.Bytes, 4999, protowire.BytesType), "from the future")
	asker.stream.batches <- []messages.Event{unknown, textEvent(t, 2, "there")}
	asker.stream.end <- nil
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	first := must[*pb.AgentEvent](t)(stream.Recv())
	again, _ := proto.MarshalOptions{Deterministic: true}.Marshal(first)
	if !bytes.Equal(again, unknown.Bytes) {
		t.Errorf("got %x, want %x", again, unknown.Bytes)
	}
	if seqs, _, err := readAll(t, stream); err != nil || len(seqs) != 1 || seqs[0] != 2 {
		t.Errorf("then %v, %v", seqs, err)
	}
	select {
	case <-asker.stream.closed:
	case <-time.After(time.Minute):
		t.Error("the stream was not detached")
	}
}

// TestRequestsAreAskedInOrder tests every member of AgentRequest.
func TestRequestsAreAskedInOrder(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	conn, _ := serve(t, asker)
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	for _, r := range []*pb.AgentRequest{
		messageRequest("hello", keyA),
		{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{RequestId: "p", Decision: pb.PermissionDecision_DENY, Message: "no"}}},
		{Request: &pb.AgentRequest_QuestionResponse{QuestionResponse: &pb.UserQuestionResponse{QuestionId: "q/2", Answers: map[string]string{"Which?": "this"}}}},
		{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{Reason: "enough"}}},
		{Request: &pb.AgentRequest_Lock{Lock: &pb.InputLockAction{Action: pb.LockAction_LOCK_ACTION_RELEASE}}},
		{Request: &pb.AgentRequest_Settings{Settings: &pb.SessionSettingsChange{Model: "opus", PermissionMode: "plan"}}},
		{Request: &pb.AgentRequest_Lock{Lock: &pb.InputLockAction{Action: pb.LockAction_LOCK_ACTION_REFUSE}}},
	} {
		if err := stream.Send(r); err != nil {
			t.Fatal(err)
		}
	}
	_ = stream.CloseSend()
	if _, failures, err := readAll(t, stream); err != nil || len(failures) > 0 {
		t.Fatal(failures, err)
	}
	var got []messages.Request
	for _, r := range asker.saw() {
		switch r.(type) {
		case messages.StartSession, messages.GetSession:
		default:
			got = append(got, r)
		}
	}
	if len(got) != 7 {
		t.Fatalf("asked %v", got)
	}
	input, ok := got[0].(messages.SendInput)
	if !ok || input.Session != sessionA || input.Client != "cli-1" || input.Key != keyA || input.Content != "hello" {
		t.Errorf("input %+v", got[0])
	}
	permission, ok := got[1].(messages.AnswerPermission)
	if !ok || permission.Request != "p" || permission.Decision != messages.Deny || permission.Message != "no" {
		t.Errorf("permission %+v", got[1])
	}
	question, ok := got[2].(messages.AnswerPermission)
	if !ok || question.Request != "q/2" || question.Decision != messages.DecisionAnswered || question.Answers["Which?"] != "this" {
		t.Errorf("question %+v", got[2])
	}
	cancel, ok := got[3].(messages.CancelTurn)
	if !ok || cancel.Force || cancel.Reason != "enough" {
		t.Errorf("cancel %+v", got[3])
	}
	if _, ok := got[4].(messages.ReleaseLock); !ok {
		t.Errorf("lock %+v", got[4])
	}
	if m, ok := got[6].(messages.RefuseLock); !ok || m.Client != "cli-1" {
		t.Errorf("refusal %+v", got[6])
	}
	settings, ok := got[5].(messages.ChangeSettings)
	if !ok || settings.Model != "opus" || settings.PermissionMode != "plan" {
		t.Errorf("settings %+v", got[5])
	}
}

// An answer with a key on a stream is sent under that key.
func TestAnswerUnderAKey(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	conn, _ := serve(t, asker)
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	for _, key := range []string{keyA, "an edited input, of another client"} {
		if err := stream.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
			RequestId: "p", Decision: pb.PermissionDecision_DENY, IdempotencyKey: key,
		}}}); err != nil {
			t.Fatal(err)
		}
	}
	_ = stream.CloseSend()
	if _, failures, err := readAll(t, stream); err != nil || len(failures) > 0 {
		t.Fatal(failures, err)
	}
	var under, plain int
	for _, r := range asker.saw() {
		switch m := r.(type) {
		case messages.Idempotent:
			if answer, ok := m.Request.(messages.AnswerPermission); ok && m.Key == keyA && answer.Key == keyA && len(m.Digest) > 0 {
				under++
			}
		case messages.AnswerPermission:
			plain++
		}
	}
	if under != 1 || plain != 1 {
		t.Errorf("asked %+v", asker.saw())
	}
}

// TestErrorsAreInline: a refused request is answered on the stream with its id, and the stream stays open.
func TestErrorsAreInline(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	asker.answer = func(r messages.Request) (messages.Reply, error) {
		if m, ok := r.(messages.SendInput); ok && m.Content == "locked" {
			return nil, messages.Errorf("send input", messages.Denied, "another client holds the input lock").
				WithCode(messages.NoInputLock).With("holder_client_id", "web")
		}
		return nil, nil
	}
	conn, _ := serve(t, asker)
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	_ = stream.Send(messageRequest("locked", keyA))
	_ = stream.Send(&pb.AgentRequest{})
	_ = stream.Send(startRequest(&pb.StartConversation{}))
	_ = stream.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Encrypted{Encrypted: &pb.EncryptedEnvelope{}}})
	_ = stream.Send(messageRequest("open", ""))
	_ = stream.CloseSend()
	_, failures, err := readAll(t, stream)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, f := range failures {
		codes = append(codes, f.GetCode())
		if f.GetIsFatal() {
			t.Errorf("%v is fatal", f)
		}
	}
	if got := strings.Join(codes, " "); got != "NO_INPUT_LOCK INVALID_ARGUMENT INVALID_ARGUMENT UNIMPLEMENTED" {
		t.Errorf("codes %s", got)
	}
	want := map[string]string{"holder_client_id": "web", "idempotency_key": keyA, "session_id": sessionA}
	for k, v := range want {
		if failures[0].GetDetails()[k] != v {
			t.Errorf("details %v, want %v", failures[0].GetDetails(), want)
		}
	}
	asked := asker.saw()
	var inputs int
	for _, r := range asked {
		if _, ok := r.(messages.SendInput); ok {
			inputs++
		}
	}
	if inputs != 2 {
		t.Errorf("asked %v", asked)
	}
}
