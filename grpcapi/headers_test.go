package grpcapi

import (
	"strings"
	"testing"

	"google.golang.org/grpc/metadata"

	pb "betcode/proto/betcode/v1"
)

// Headers are read before the caller is authenticated, so their size is bounded.
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
	if output := call(8 << 10); strings.Contains(output, "header") {
		t.Errorf("8 KiB: %s", output)
	}
	if output := call(2 * maxHeaders); !strings.Contains(output, "header list") {
		t.Errorf("twice the limit: %s", output)
	}
}
