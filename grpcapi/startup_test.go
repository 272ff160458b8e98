package grpcapi

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func startupAsker() *fakeAsker {
	return &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		if _, ok := r.(messages.GetStartup); !ok {
			return nil, nil
		}
		return messages.Startup{
			Arguments: []string{"betcode", "daemon", "run"}, Environment: []string{"SECRET=\xff"}, Directory: "/d\xff", ErrorFile: "/log",
		}, nil
	}}
}

// GetStartup returns the start of the daemon unchanged, including text that is not UTF-8.
func TestStartup(t *testing.T) {
	conn, _ := serveAs(t, startupAsker(), auth.Unrestricted)
	got, err := pb.NewAdminServiceClient(conn).GetStartup(as(t, "c"), &pb.GetStartupRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if string(got.GetEnvironment()[0]) != "SECRET=\xff" || string(got.GetDirectory()) != "/d\xff" || string(got.GetErrorFile()) != "/log" ||
		!slices.Equal([]string{string(got.GetArguments()[1]), string(got.GetArguments()[2])}, []string{"daemon", "run"}) {
		t.Errorf("%v", got)
	}
}

// The environment is secret: neither an agent nor a token of any scope gets it.
func TestStartupIsTold(t *testing.T) {
	for name, r := range map[string]auth.Restriction{"below an agent": auth.BelowAgent, "unknown": auth.Unknown} {
		asker := startupAsker()
		conn, _ := serveAs(t, asker, r)
		got, err := pb.NewAdminServiceClient(conn).GetStartup(as(t, "c"), &pb.GetStartupRequest{})
		if status.Code(err) != codes.PermissionDenied || len(asker.saw()) > 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	asker := startupAsker()
	remote := auth.AuthInfo{Peer: auth.Peer{Address: netip.MustParseAddrPort("127.0.0.1:1"), Connection: "x"}}
	got, err := adminService{asker: asker}.GetStartup(peer.NewContext(t.Context(), &peer.Peer{AuthInfo: remote}), nil)
	if err == nil || !strings.Contains(err.Error(), "Unix socket") || len(asker.saw()) > 0 {
		t.Errorf("over TCP: %v, %v", got, err)
	}
}
