package grpcapi

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// published opens a stream as published clients do: start has none of our fields.
func openPublished(t *testing.T, client pb.AgentServiceClient, requests ...*pb.AgentRequest) converseClient {
	t.Helper()
	stream := must[converseClient](t)(client.Converse(as(t, "cli-1")))
	for _, r := range append([]*pb.AgentRequest{startRequest(&pb.StartConversation{SessionId: sessionA})}, requests...) {
		if err := stream.Send(r); err != nil {
			t.Fatal(err)
		}
	}
	return stream
}

// refusing refuses messages for lack of the input lock.
func refusing(r messages.Request) (messages.Reply, error) {
	if _, ok := r.(messages.SendInput); ok {
		return nil, messages.Errorf("send message", messages.Denied, "bob has the input lock").WithCode(messages.NoInputLock)
	}
	return nil, nil
}

// A headless client sends its message with the start and then waits for a turn: a refusal must end the stream.
func TestRefusedMessageWithStartIsFatal(t *testing.T) {
	for name, test := range map[string]struct {
		message *pb.AgentRequest
		want    codes.Code
	}{
		"no lock": {messageRequest("hi", ""), codes.PermissionDenied},
		"invalid": {messageRequest(" ", ""), codes.InvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			conn, _ := serve(t, &fakeAsker{stream: newFakeStream(), answer: refusing})
			_, failures, err := readAll(t, openPublished(t, pb.NewAgentServiceClient(conn), test.message))
			if status.Code(err) != test.want || len(failures) != 1 || !failures[0].GetIsFatal() {
				t.Errorf("%v, %v", failures, err)
			}
		})
	}
}

// A screen sends its messages later: a refusal is reported, and the stream stays open.
func TestRefusedMessageLaterIsNotFatal(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream(), answer: refusing}
	conn, _ := serve(t, asker)
	stream := openPublished(t, pb.NewAgentServiceClient(conn))
	asker.stream.batches <- []messages.Event{textEvent(t, 1, "hello")}
	if e := must[*pb.AgentEvent](t)(stream.Recv()); e.GetSequence() != 1 {
		t.Fatalf("first %v", e)
	}
	for range 2 {
		if err := stream.Send(messageRequest("hi", "")); err != nil {
			t.Fatal(err)
		}
		if e := must[*pb.AgentEvent](t)(stream.Recv()).GetError(); e.GetCode() != "NO_INPUT_LOCK" || e.GetIsFatal() {
			t.Errorf("told %v", e)
		}
	}
	asker.stream.end <- nil
	if _, _, err := readAll(t, stream); err != nil {
		t.Error(err)
	}
}

// A client that sets keeps_prompts gets an event, also if its message came with the start.
func TestRefusedMessageOfOurClientIsNotFatal(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream(), answer: refusing}
	conn, _ := serve(t, asker)
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	if err := stream.Send(messageRequest("hi", "")); err != nil {
		t.Fatal(err)
	}
	if e := must[*pb.AgentEvent](t)(stream.Recv()).GetError(); e.GetCode() != "NO_INPUT_LOCK" || e.GetIsFatal() {
		t.Errorf("told %v", e)
	}
}

// A client that shows one prompt at a time gets the undecided requests again.
func TestPromptsAreRepeatedAfterAnAnswer(t *testing.T) {
	prompt := func(e *pb.AgentEvent) messages.Event {
		raw, err := proto.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return messages.Event{Bytes: raw}
	}
	ask := func(id string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_UserQuestion{UserQuestion: &pb.UserQuestion{QuestionId: id, Question: id}}}
	}
	pending := func(r messages.Request) (messages.Reply, error) {
		if _, ok := r.(messages.GetPrompts); ok {
			return messages.Prompts{Events: []messages.Event{
				prompt(ask("q/0")), prompt(ask("q/1")),
				prompt(&pb.AgentEvent{Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: "r"}}}),
			}}, nil
		}
		return nil, nil
	}
	answer := func(id string) *pb.AgentRequest {
		return &pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{QuestionResponse: &pb.UserQuestionResponse{
			QuestionId: id, Answers: map[string]string{id: "x"},
		}}}
	}
	asker := &fakeAsker{stream: newFakeStream(), answer: pending}
	conn, _ := serve(t, asker)
	stream := openPublished(t, pb.NewAgentServiceClient(conn), answer("q/1"))
	if e := must[*pb.AgentEvent](t)(stream.Recv()); e.GetUserQuestion().GetQuestionId() != "q/0" || e.GetSequence() != 0 {
		t.Errorf("first %v", e)
	}
	if e := must[*pb.AgentEvent](t)(stream.Recv()); e.GetPermissionRequest().GetRequestId() != "r" {
		t.Errorf("then %v", e)
	}

	asker = &fakeAsker{stream: newFakeStream(), answer: pending}
	conn, _ = serve(t, asker)
	ours := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	if err := ours.Send(answer("q/1")); err != nil {
		t.Fatal(err)
	}
	asker.stream.batches <- []messages.Event{textEvent(t, 1, "hello")}
	asker.stream.end <- nil
	if seqs, _, err := readAll(t, ours); err != nil || len(seqs) != 1 {
		t.Errorf("a client that keeps prompts gets %v, %v", seqs, err)
	}
}
