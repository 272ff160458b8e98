package grpcapi

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

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
