package grpcapi

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
)

// slowTokens delay the check of a token.
type slowTokens struct {
	*fakeTokens

	begun chan struct{} // one value for each check
	gate  chan struct{}
}

func (s slowTokens) Check(secret string) (messages.Token, <-chan struct{}, error) {
	s.begun <- struct{}{}
	<-s.gate
	return s.fakeTokens.Check(secret)
}

// A connection without a valid token may have few concurrent calls; with one it has the limit of others.
func TestCallsOfNewcomers(t *testing.T) {
	const method = "/betcode.v1.AdminService/GetTree"
	tokens := slowTokens{&fakeTokens{}, make(chan struct{}, 3*auth.NewcomerCalls), make(chan struct{})}
	if _, _, err := tokens.Create(messages.Token{Name: "view", Rights: messages.MayView}); err != nil {
		t.Fatal(err)
	}
	_, dial := serveTCP(t, Options{Asker: &fakeAsker{}, Tokens: tokens})
	conn := dial()
	done := make(chan error, auth.NewcomerCalls)
	for range auth.NewcomerCalls {
		go func() { done <- codeOfCall(bearing(t, "c", "view"), conn, method) }()
	}
	for range auth.NewcomerCalls {
		<-tokens.begun
	}
	if err := codeOfCall(bearing(t, "c", "view"), conn, method); status.Code(err) != codes.ResourceExhausted || len(tokens.begun) > 0 {
		t.Errorf("one more: %v, %d were looked at", err, len(tokens.begun))
	}
	if err := codeOfCall(bearing(t, "c", "view"), dial(), "/betcode.v1.Health/Check"); status.Code(err) == codes.ResourceExhausted {
		t.Errorf("over another connection: %v", err)
	}
	close(tokens.gate)
	for range auth.NewcomerCalls {
		if err := <-done; status.Code(err) == codes.Unauthenticated {
			t.Fatal(err)
		}
	}
	if err := codeOfCall(bearing(t, "c", "view"), conn, method); status.Code(err) == codes.ResourceExhausted || len(tokens.begun) != 1 {
		t.Errorf("with a token that counts: %v", err)
	}
}
