package grpcapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/wire"
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

func TestAttachPolicies(t *testing.T) {
	for name, test := range map[string]struct {
		start   *pb.StartConversation
		created bool
		want    messages.Attach
	}{
		"new":      {&pb.StartConversation{SessionId: sessionA, FromSequence: 5, WorkingDirectory: "/w"}, true, messages.Attach{History: messages.HistoryFull}},
		"unsaid":   {&pb.StartConversation{SessionId: sessionA}, false, messages.Attach{History: messages.HistoryPendingOnly}},
		"full":     {&pb.StartConversation{SessionId: sessionA, History: pb.HistoryPolicy_HISTORY_POLICY_FULL}, false, messages.Attach{History: messages.HistoryFull}},
		"from":     {&pb.StartConversation{SessionId: sessionA, FromSequence: 5}, false, messages.Attach{History: messages.HistoryFromSequence, From: 5}},
		"pending":  {&pb.StartConversation{SessionId: sessionA, History: pb.HistoryPolicy_HISTORY_POLICY_PENDING_ONLY}, false, messages.Attach{History: messages.HistoryPendingOnly}},
		"discard":  {&pb.StartConversation{SessionId: sessionA, DiscardUnused: true}, true, messages.Attach{History: messages.HistoryFull, Discards: true}},
		"observer": {&pb.StartConversation{SessionId: sessionA, Observer: true, History: pb.HistoryPolicy_HISTORY_POLICY_NONE}, false, messages.Attach{History: messages.HistoryNone, Observer: true}},
	} {
		t.Run(name, func(t *testing.T) {
			asker := &fakeAsker{stream: newFakeStream()}
			asker.answer = func(r messages.Request) (messages.Reply, error) {
				if _, ok := r.(messages.StartSession); ok {
					return messages.SessionStarted{Created: test.created, View: messages.SessionView{Record: messages.SessionRecord{Head: 9}}}, nil
				}
				return nil, nil
			}
			asker.stream.end <- nil
			conn, _ := serve(t, asker)
			if _, _, err := readAll(t, converse(t, conn, test.start)); err != nil {
				t.Fatal(err)
			}
			got := asker.sawAttach()[0]
			if got.Session != sessionA || got.Client != "cli-1" || got.Stream == "" || got.Follow != messages.FollowForever {
				t.Errorf("attach %+v", got)
			}
			if got.History != test.want.History || got.From != test.want.From || got.Observer != test.want.Observer || got.Discards != test.want.Discards {
				t.Errorf("attach %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestAttachBeyondHead(t *testing.T) {
	asker := &fakeAsker{}
	conn, _ := serve(t, asker)
	_, failures, err := readAll(t, converse(t, conn, &pb.StartConversation{SessionId: sessionA, FromSequence: 5}))
	if status.Code(err) != codes.OutOfRange || len(failures) != 1 || failures[0].GetCode() != "OUT_OF_RANGE" {
		t.Errorf("%v %v", failures, err)
	}
	if len(asker.sawAttach()) != 0 {
		t.Error("attached all the same")
	}
}

// TestACursorCreatesNoSession: otherwise a client with events of a deleted session would get a new session, whose
// events have the same sequences.
func TestACursorCreatesNoSession(t *testing.T) {
	asker := &fakeAsker{}
	asker.answer = func(r messages.Request) (messages.Reply, error) {
		switch r.(type) {
		case messages.GetSession:
			return nil, messages.Errorf("get session", messages.NotFound, "session %s does not exist", sessionA)
		case messages.StartSession:
			t.Error("a session was created")
		}
		return nil, nil
	}
	conn, _ := serve(t, asker)
	_, failures, err := readAll(t, converse(t, conn, &pb.StartConversation{SessionId: sessionA, WorkingDirectory: "/w", FromSequence: 5}))
	if status.Code(err) != codes.NotFound || len(failures) != 1 || !failures[0].GetIsFatal() || !strings.Contains(failures[0].GetMessage(), "from_sequence") {
		t.Errorf("%v %v", failures, err)
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
		case messages.Once:
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

func TestSessionGoneEndsTheStream(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	asker.answer = func(r messages.Request) (messages.Reply, error) {
		if _, ok := r.(messages.SendInput); ok {
			return nil, messages.Errorf("send input", messages.NotFound, "the session was deleted").WithCode(messages.SessionNotFound)
		}
		return nil, nil
	}
	conn, _ := serve(t, asker)
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	_ = stream.Send(messageRequest("x", ""))
	_, failures, err := readAll(t, stream)
	if status.Code(err) != codes.NotFound || len(failures) != 1 || !failures[0].GetIsFatal() || failures[0].GetCode() != "SESSION_NOT_FOUND" {
		t.Errorf("%v %v", failures, err)
	}
}

// The stream of a client that has half-closed ends by itself, after its last event was sent.
func TestHalfCloseFinishesTheStream(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	asker.stream.working = true
	conn, _ := serve(t, asker)
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	_ = stream.Send(messageRequest("x", keyA))
	asker.stream.batches <- []messages.Event{textEvent(t, 1, "working")}
	if e := must[*pb.AgentEvent](t)(stream.Recv()); e.GetSequence() != 1 {
		t.Fatal(e)
	}
	select {
	case <-asker.stream.finished:
		t.Fatal("finished by a client that may send more")
	default:
	}
	_ = stream.CloseSend()
	select {
	case <-asker.stream.finished:
	case <-time.After(time.Minute):
		t.Fatal("a half-closed stream is not finished")
	}
	var input bool
	for _, r := range asker.saw() {
		_, ok := r.(messages.SendInput)
		input = input || ok
	}
	if !input {
		t.Error("finished before the client's message was asked")
	}
	asker.stream.batches <- []messages.Event{textEvent(t, 2, "done"), idleEvent(t, 3)}
	if e := must[*pb.AgentEvent](t)(stream.Recv()); e.GetSequence() != 2 {
		t.Fatal(e)
	}
	asker.stream.end <- nil
	seqs, failures, err := readAll(t, stream)
	if err != nil || len(failures) > 0 || len(seqs) != 1 || seqs[0] != 3 {
		t.Errorf("%v %v %v", seqs, failures, err)
	}
}

func TestGoingAwayDetaches(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	conn, _ := serve(t, asker)
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	asker.stream.batches <- []messages.Event{textEvent(t, 1, "x")}
	_, _ = stream.Recv()
	conn.Close()
	select {
	case <-asker.stream.closed:
	case <-time.After(time.Minute):
		t.Fatal("still attached")
	}
	for _, r := range asker.saw() {
		if _, ok := r.(messages.CancelTurn); ok {
			t.Error("the turn was cancelled")
		}
	}
}

// abandonedAsker creates sessions after their callers have left.
type abandonedAsker struct {
	*fakeAsker
	asked chan struct{} // closed when a session is to be created
}

func (a abandonedAsker) Ask(ctx context.Context, r messages.Request) (messages.Reply, error) {
	if _, ok := r.(messages.StartSession); !ok {
		return a.fakeAsker.Ask(ctx, r)
	}
	close(a.asked)
	if left := ctx.Done(); left != nil {
		<-left
		return nil, context.Cause(ctx)
	}
	return messages.SessionStarted{Created: true}, nil
}

// TestLeftWhileStarting: a session that is created after its client has left is discarded only if the client is attached and
// detached.
func TestLeftWhileStarting(t *testing.T) {
	asker := abandonedAsker{&fakeAsker{stream: newFakeStream()}, make(chan struct{})}
	conn, _ := serve(t, asker)
	converse(t, conn, &pb.StartConversation{SessionId: sessionA, DiscardUnused: true})
	<-asker.asked
	conn.Close()
	select {
	case <-asker.stream.closed:
	case <-time.After(time.Minute):
		t.Fatal("the client was not detached")
	}
	if attached := asker.sawAttach(); len(attached) != 1 || !attached[0].Discards {
		t.Errorf("attached %+v", attached)
	}
}

func TestShutdownEndsStreams(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	conn, s := serve(t, asker)
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	asker.stream.batches <- []messages.Event{textEvent(t, 1, "x")}
	_, _ = stream.Recv()
	replay, err := pb.NewAgentServiceClient(conn).ResumeSession(t.Context(), &pb.ResumeSessionRequest{SessionId: sessionA})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replay.Header(); err != nil {
		t.Fatal(err)
	}
	if err := s.Shutdown(as(t, "")); err != nil {
		t.Fatal(err)
	}
	_, failures, err := readAll(t, stream)
	last, _ := replay.Recv()
	for _, e := range append(failures, last.GetError()) {
		if e.GetCode() != "DAEMON_STOPPING" || !e.GetIsFatal() {
			t.Errorf("told %v", e)
		}
	}
	if _, resumed := replay.Recv(); status.Code(err) != codes.Unavailable || status.Code(resumed) != codes.Unavailable || len(failures) != 1 {
		t.Errorf("ended with %v and %v", err, resumed)
	}
}

func TestPanicsAreAnswered(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	asker.answer = func(r messages.Request) (messages.Reply, error) {
		switch r.(type) {
		case messages.SendInput, messages.ListSessions:
			panic("boom")
		}
		return nil, nil
	}
	conn, _ := serve(t, asker)
	if _, err := pb.NewAgentServiceClient(conn).ListSessions(as(t, "c"), &pb.ListSessionsRequest{}); status.Code(err) != codes.Internal {
		t.Errorf("unary: %v", err)
	}
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	_ = stream.Send(messageRequest("x", ""))
	_ = stream.CloseSend()
	if _, failures, err := readAll(t, stream); err != nil || len(failures) != 1 || failures[0].GetCode() != "INTERNAL" {
		t.Errorf("stream: %v %v", failures, err)
	}
}

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

func TestClientID(t *testing.T) {
	asker := &fakeAsker{}
	conn, _ := serve(t, asker)
	client := pb.NewAgentServiceClient(conn)
	ctx := metadata.AppendToOutgoingContext(as(t, "two words"))
	if _, err := client.CancelTurn(ctx, &pb.CancelTurnRequest{SessionId: sessionA}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a bad id: %v", err)
	}
	if _, err := client.CancelTurn(t.Context(), &pb.CancelTurnRequest{SessionId: sessionA}); err != nil {
		t.Fatal(err)
	}
	asked := asker.saw()
	if m, ok := asked[0].(messages.CancelTurn); !ok || m.Client == "" || !m.Force {
		t.Errorf("asked %+v", asked)
	}
}
