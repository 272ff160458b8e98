package grpcapi

import (
	"strings"
	"testing"

	"google.golang.org/grpc/metadata"

	pb "betcode/proto/betcode/v1"
)

// Headers are read before the caller is known, so that they are few.
func TestHeadersAreBounded(t *testing.T) {
	conn, _ := serve(t, &fakeAsker{})
	client := pb.NewAgentServiceClient(conn)
	call := func(bytes int) string {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "x-large", strings.Repeat("x", bytes))
		_, err := client.ListSessions(ctx, &pb.ListSessionsRequest{})
		if err == nil {
			return ""
		}
		return err.Error()
	}
	if said := call(8 << 10); strings.Contains(said, "header") {
		t.Errorf("8 KiB: %s", said)
	}
	if said := call(2 * maxHeaders); !strings.Contains(said, "header list") {
		t.Errorf("twice the limit: %s", said)
	}
}
