package grpcapi

import (
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// A process of the daemon's user is admitted over a real Unix socket, and two calls of one
// connection come from one client.
func TestPeerCredentials(t *testing.T) {
	socket := socketPath(t)
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	asker := &fakeAsker{}
	s := New(Options{Asker: asker})
	go s.Serve(l)
	defer s.Shutdown(as(t, ""))
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := pb.NewAgentServiceClient(conn)
	for range 2 {
		if _, err = client.CancelTurn(t.Context(), &pb.CancelTurnRequest{SessionId: sessionA}); err != nil {
			t.Fatal(err)
		}
	}
	asked := asker.saw()
	first, second := asked[0].(messages.CancelTurn), asked[1].(messages.CancelTurn)
	if first.Client == "" || first.Client != second.Client {
		t.Errorf("one connection, two clients: %q and %q", first.Client, second.Client)
	}
}
