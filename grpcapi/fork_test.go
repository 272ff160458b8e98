package grpcapi

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// A fork's id is derived from the idempotency key: the same key gives the same session, and another
// key, or none, another one.
func TestForkSession(t *testing.T) {
	asker := &fakeAsker{}
	asker.answer = func(r messages.Request) (messages.Reply, error) {
		if m, ok := r.(messages.ForkSession); ok {
			return messages.SessionForked{Session: m.Fork, Origin: messages.Fork{Session: m.Session, Seq: 7}}, nil
		}
		return nil, nil
	}
	conn, _ := serve(t, asker)
	admin := pb.NewAdminServiceClient(conn)
	fork := func(key, name string) (*pb.ForkSessionResponse, error) {
		ctx := as(t, "c")
		if key != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, auth.IdempotencyKey, key)
		}
		return admin.ForkSession(ctx, &pb.ForkSessionRequest{SessionId: sessionA, Name: name})
	}
	made := map[string]int{}
	for _, key := range []string{keyA, keyA, elsewhere, "", ""} {
		got, err := fork(key, "other way")
		if err != nil {
			t.Fatal(err)
		}
		if got.GetOrigin().GetSessionId() != sessionA || got.GetOrigin().GetSequence() != 7 || got.GetSessionId() == sessionA {
			t.Errorf("key %q: %v", key, got)
		}
		made[got.GetSessionId()]++
	}
	if len(made) != 4 {
		t.Errorf("sessions by id: %v", made)
	}
	for _, r := range asker.saw() {
		if m, ok := r.(messages.ForkSession); ok && (m.Name != "other way" || m.Client != "c" || m.Session != sessionA || made[string(m.Fork)] == 0) {
			t.Errorf("asked %+v", m)
		}
	}
	before := len(asker.saw())
	for name, call := range map[string][2]string{"a key that is none": {"not one", ""}, "a name that is too long": {keyA, strings.Repeat("x", 5000)}} {
		if _, err := fork(call[0], call[1]); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, r := range asker.saw()[before:] {
		if m, ok := r.(messages.ForkSession); ok {
			t.Errorf("asked %+v", m)
		}
	}
}

// Refusals of the daemon have their kind and hint.
func TestForkSessionRefused(t *testing.T) {
	asker := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		if _, ok := r.(messages.ForkSession); ok {
			return nil, messages.Errorf("fork session", messages.WrongState, "a turn is under way").WithHint("wait until it is over")
		}
		return nil, nil
	}}
	conn, _ := serve(t, asker)
	_, err := pb.NewAdminServiceClient(conn).ForkSession(as(t, "c"), &pb.ForkSessionRequest{SessionId: sessionA})
	if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "a turn is under way") {
		t.Errorf("%v", err)
	}
}
