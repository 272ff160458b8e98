package grpcapi

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

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
