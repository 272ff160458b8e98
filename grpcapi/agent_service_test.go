package grpcapi

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func decode(c wire.Codec, raw []byte, v any) error {
	return c.Unmarshal(mem.BufferSlice{mem.SliceBuffer(raw)}, v)
}

func TestResumeSession(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	asker.answer = func(r messages.Request) (messages.Reply, error) {
		if _, ok := r.(messages.GetSession); ok {
			return messages.SessionView{Record: messages.SessionRecord{Head: 7}}, nil
		}
		return nil, nil
	}
	conn, _ := serve(t, asker)
	client := pb.NewAgentServiceClient(conn)
	asker.stream.batches <- []messages.Event{textEvent(t, 6, "a"), textEvent(t, 7, "b")}
	asker.stream.end <- nil
	stream, err := client.ResumeSession(as(t, "c"), &pb.ResumeSessionRequest{SessionId: sessionA, FromSequence: 5})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Header(); err != nil {
		t.Fatal(err)
	}
	if seqs, _, err := readAll(t, stream); err != nil || len(seqs) != 2 {
		t.Errorf("%v %v", seqs, err)
	}
	a := asker.sawAttach()[0]
	if a.From != 5 || a.History != messages.HistoryFromSequence || a.Follow != messages.FollowTurn || !a.Observer {
		t.Errorf("attach %+v", a)
	}

	stream, _ = client.ResumeSession(as(t, "c"), &pb.ResumeSessionRequest{SessionId: sessionA, FromSequence: 8})
	if _, _, err := readAll(t, stream); status.Code(err) != codes.OutOfRange {
		t.Errorf("beyond the head: %v", err)
	}
	asker.stream = newFakeStream()
	asker.stream.end <- messages.Errorf("read journal", messages.DataLoss, "page 7 is damaged")
	stream, _ = client.ResumeSession(as(t, "c"), &pb.ResumeSessionRequest{SessionId: sessionA, Follow: true})
	if _, _, err := readAll(t, stream); status.Code(err) != codes.DataLoss {
		t.Errorf("damaged: %v", err)
	}
	if a := asker.sawAttach()[1]; a.Follow != messages.FollowForever || a.History != messages.HistoryFull {
		t.Errorf("attach %+v", a)
	}
}

// TestUnaryCalls tests the other calls of AgentService.
func TestUnaryCalls(t *testing.T) {
	asker := &fakeAsker{}
	asker.answer = func(r messages.Request) (messages.Reply, error) {
		switch r := r.(type) {
		case messages.ListSessions:
			if r.Limit != 100 || r.Offset != 3 || r.WorkingDirectory != "/w" {
				t.Errorf("list %+v", r)
			}
			return messages.SessionList{Total: 42, Sessions: []messages.SessionRecord{{
				ID: sessionA, Name: "n", Phase: messages.PhaseIdle, Usage: messages.Usage{InputTokens: 1 << 40}, UpdatedAt: time.Unix(1, 0),
			}}}, nil
		case messages.TakeLock:
			return messages.LockAnswer{Holder: "web", Previous: "old"}, nil
		case messages.GetSession:
			return messages.SessionView{Record: messages.SessionRecord{Grants: map[string]bool{"b": true, "a": false}}}, nil
		case messages.DeleteSession:
			return nil, messages.Errorf("delete session", messages.NotFound, "no such session").WithCode(messages.SessionNotFound)
		}
		return nil, nil
	}
	conn, _ := serve(t, asker)
	client, ctx := pb.NewAgentServiceClient(conn), as(t, "c")

	list := must[*pb.ListSessionsResponse](t)(client.ListSessions(ctx, &pb.ListSessionsRequest{WorkingDirectory: "/w/", Offset: 3}))
	if s := list.GetSessions()[0]; list.GetTotal() != 42 || s.GetStatus() != "idle" || s.GetTotalInputTokens() != 1<<32-1 || s.GetCreatedAt() != nil {
		t.Errorf("list %v", list)
	}
	lock := must[*pb.InputLockResponse](t)(client.RequestInputLock(ctx, &pb.InputLockRequest{SessionId: sessionA}))
	if lock.GetGranted() || lock.GetPreviousHolder() != "web" {
		t.Errorf("lock %v", lock)
	}
	grants := must[*pb.ListSessionGrantsResponse](t)(client.ListSessionGrants(ctx, &pb.ListSessionGrantsRequest{SessionId: sessionA}))
	if g := grants.GetGrants(); len(g) != 2 || g[0].GetToolName() != "a" || g[0].GetGranted() {
		t.Errorf("grants %v", grants)
	}
	deleted := must[*pb.DeleteSessionResponse](t)(client.DeleteSession(ctx, &pb.DeleteSessionRequest{SessionId: sessionA}))
	if deleted.GetDeleted() {
		t.Error("deleted what was not there")
	}
	must[*pb.RenameSessionResponse](t)(client.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: sessionA, Name: "x"}))
	must[*pb.SetSessionGrantResponse](t)(client.SetSessionGrant(ctx, &pb.SetSessionGrantRequest{SessionId: sessionA, ToolName: "Bash"}))
	must[*pb.ClearSessionGrantsResponse](t)(client.ClearSessionGrants(ctx, &pb.ClearSessionGrantsRequest{SessionId: sessionA}))

	for name, err := range map[string]error{
		"compact": second(client.CompactSession(ctx, &pb.CompactSessionRequest{SessionId: sessionA, IdempotencyKey: "x"})),
		"cancel":  second(client.CancelTurn(ctx, &pb.CancelTurnRequest{})),
		"rename":  second(client.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: "x"})),
		"grant":   second(client.SetSessionGrant(ctx, &pb.SetSessionGrantRequest{SessionId: sessionA})),
		"list":    second(client.ListSessions(ctx, &pb.ListSessionsRequest{WorkingDirectory: "w"})),
	} {
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	v := must[*pb.GetVersionResponse](t)(pb.NewVersionServiceClient(conn).GetVersion(ctx, &pb.GetVersionRequest{}))
	if v.GetApiVersion() != "v1" || v.GetServerVersion() != "1.2.3" {
		t.Errorf("version %v", v)
	}
}
