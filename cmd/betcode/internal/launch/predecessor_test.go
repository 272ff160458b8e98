package launch

import (
	"context"
	"slices"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
)

// startupTold answers GetStartup.
type startupTold struct {
	pb.AdminServiceClient
	startup *pb.GetStartupResponse
	err     error
}

func (t startupTold) GetStartup(context.Context, *pb.GetStartupRequest, ...grpc.CallOption) (*pb.GetStartupResponse, error) {
	return t.startup, t.err
}

// The daemon reports its own command line; the process is not examined then.
func TestPredecessorIsAsked(t *testing.T) {
	t.Parallel()
	admin := startupTold{startup: &pb.GetStartupResponse{
		Arguments:   [][]byte{[]byte("betcode"), []byte("daemon"), []byte("run"), []byte("--max-agents=3")},
		Environment: [][]byte{[]byte("A=\xff")}, Directory: []byte("/d"), ErrorFile: []byte("/l"),
	}}
	got, known, err := predecessor(t.Context(), admin, 0)
	if err != nil || !known || got.directory != "/d" || got.log != "/l" || got.environment[0] != "A=\xff" ||
		!slices.Equal(got.arguments, []string{"daemon", "run", "--max-agents=3"}) {
		t.Errorf("%+v, %t, %v", got, known, err)
	}
	admin = startupTold{startup: &pb.GetStartupResponse{Arguments: [][]byte{[]byte("other"), []byte("x"), []byte("y")}}}
	if _, known, err := predecessor(t.Context(), admin, 0); known || err != nil {
		t.Errorf("something else than a daemon: %t, %v", known, err)
	}
}

// A daemon without this call is examined through /proc; one that refuses is not restarted with
// another environment.
func TestPredecessorThatDoesNotTell(t *testing.T) {
	t.Parallel()
	admin := startupTold{err: status.Error(codes.Unimplemented, "unknown method")}
	if _, known, err := predecessor(t.Context(), admin, 1<<30); known || err != nil {
		t.Errorf("%t, %v", known, err)
	}
	admin = startupTold{err: status.Error(codes.PermissionDenied, "no")}
	if _, _, err := predecessor(t.Context(), admin, 1<<30); status.Code(err) != codes.PermissionDenied {
		t.Errorf("%v", err)
	}
}
