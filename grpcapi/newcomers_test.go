package grpcapi

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/messages"
)

func TestNewcomerHasFewCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &newcomer{}
		first, end := context.WithCancel(t.Context())
		defer end()
		rest, endRest := context.WithCancel(t.Context())
		for i := range newcomerStreams {
			ctx := rest
			if i == 0 {
				ctx = first
			}
			if !n.begin(ctx) {
				t.Fatalf("call %d is refused", i)
			}
		}
		if n.begin(rest) {
			t.Error("there is room for one more")
		}
		end()
		synctest.Wait()
		if !n.begin(rest) || n.begin(rest) {
			t.Error("the end of one call makes room for one")
		}
		n.introduce()
		if !n.begin(rest) {
			t.Error("refused after a token was shown")
		}
		endRest()
		synctest.Wait()
		if got := n.calls.Load(); got != 0 {
			t.Errorf("%d calls are under way at the end", got)
		}
	})
	if !(*newcomer)(nil).begin(t.Context()) {
		t.Error("who is not over TCP is counted")
	}
}

// slowTokens take their time.
type slowTokens struct {
	*fakeTokens

	begun chan struct{} // has one for each look
	gate  chan struct{}
}

func (s slowTokens) Check(secret string) (messages.Token, <-chan struct{}, error) {
	s.begun <- struct{}{}
	<-s.gate
	return s.fakeTokens.Check(secret)
}

// A connection that has shown no token has few calls at once; with one it has as many as
// others.
func TestCallsOfNewcomers(t *testing.T) {
	const method = "/betcode.v1.AdminService/GetTree"
	tokens := slowTokens{&fakeTokens{}, make(chan struct{}, 3*newcomerStreams), make(chan struct{})}
	if _, _, err := tokens.Create("view", messages.MayView, time.Time{}); err != nil {
		t.Fatal(err)
	}
	_, dial := serveTCP(t, Options{Asker: &fakeAsker{}, Tokens: tokens})
	conn := dial()
	done := make(chan error, newcomerStreams)
	for range newcomerStreams {
		go func() { done <- codeOfCall(bearing(t, "c", "view"), conn, method) }()
	}
	for range newcomerStreams {
		<-tokens.begun
	}
	if err := codeOfCall(bearing(t, "c", "view"), conn, method); status.Code(err) != codes.ResourceExhausted || len(tokens.begun) > 0 {
		t.Errorf("one more: %v, %d were looked at", err, len(tokens.begun))
	}
	if err := codeOfCall(bearing(t, "c", "view"), dial(), "/betcode.v1.Health/Check"); status.Code(err) == codes.ResourceExhausted {
		t.Errorf("over another connection: %v", err)
	}
	close(tokens.gate)
	for range newcomerStreams {
		if err := <-done; status.Code(err) == codes.Unauthenticated {
			t.Fatal(err)
		}
	}
	if err := codeOfCall(bearing(t, "c", "view"), conn, method); status.Code(err) == codes.ResourceExhausted || len(tokens.begun) != 1 {
		t.Errorf("with a token that counts: %v", err)
	}
}
