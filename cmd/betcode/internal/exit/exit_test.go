package exit

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/messages"
)

// TestCode checks the exit codes against the table of the API document.
func TestCode(t *testing.T) {
	for c := codes.OK; c <= codes.Unauthenticated; c++ {
		if _, ok := byStatus[c]; !ok {
			t.Errorf("%v has no exit code", c)
		}
	}
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{status.Error(codes.Unavailable, ""), 2},
		{status.Error(codes.PermissionDenied, ""), 3},
		{status.Error(codes.ResourceExhausted, ""), 4},
		{status.Error(codes.InvalidArgument, ""), 5},
		{fmt.Errorf("wrapped: %w", status.Error(codes.NotFound, "")), 6},
		{status.Error(codes.Internal, ""), 7},
		{crashed(t), 1},
		{Usage(errors.New("x")), 5},
		{Silent(3), 3},
		{context.Canceled, 130},
		{messages.Errorf("x", messages.NotFound, "y"), 6},
		{messages.Errorf("x", messages.DataLoss, "y"), 7},
		{errors.New("x"), 1},
	} {
		if got := Code(test.err); got != test.want {
			t.Errorf("%v ends with %d, want %d", test.err, got, test.want)
		}
	}
}

// crashed returns the error that the gateway makes when an agent process has crashed.
func crashed(t *testing.T) error {
	t.Helper()
	s, err := status.New(codes.Internal, "").WithDetails(&errdetails.ErrorInfo{Reason: "SUBPROCESS_CRASHED", Domain: "betcode"})
	if err != nil {
		t.Fatal(err)
	}
	return s.Err()
}

func TestIsSilent(t *testing.T) {
	for _, test := range []struct {
		err  error
		want bool
	}{
		{nil, true},
		{Silent(Internal), true},
		{fmt.Errorf("wrapped: %w", Silent(Internal)), true},
		{context.Canceled, true},
		{With(Failed, errors.New("x")), false},
		{Usage(errors.New("x")), false},
		{errors.New("x"), false},
	} {
		if got := IsSilent(test.err); got != test.want {
			t.Errorf("%v: %t, want %t", test.err, got, test.want)
		}
	}
}
