package client

import (
	"fmt"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"
)

// A list is the same however many processors decode it, and a broken one is an error.
func TestListsAreDecodedInParts(t *testing.T) {
	want := &pb.ListSessionsResponse{Total: 5000, OmittedIdle: 3}
	for i := range 3000 {
		want.Sessions = append(want.Sessions, &pb.SessionSummary{Id: fmt.Sprint("session ", i), LastMessagePreview: "It is done; the tests pass now.", Status: "idle", UpdatedAt: timestamppb.Now()})
	}
	raw, err := proto.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	for parts := range 9 {
		got := &pb.ListSessionsResponse{Total: 1}
		if err := unmarshalList(raw, got, parts+1); err != nil || !proto.Equal(got, want) {
			t.Errorf("%d parts: %d sessions of %d, total %d, %v", parts+1, len(got.GetSessions()), len(want.GetSessions()), got.GetTotal(), err)
		}
		if err := unmarshalList(raw[:len(raw)-1], got, parts+1); err == nil {
			t.Errorf("%d parts: the end is missing, and nobody has seen it", parts+1)
		}
		if err := unmarshalList([]byte{0x0a, 0x00}, got, parts+1); err != nil || len(got.GetSessions()) != 1 {
			t.Errorf("%d parts: one empty session is %v, %v", parts+1, got, err)
		}
	}
	got := &pb.ListSessionsResponse{}
	if err := newCodec().Unmarshal(mem.BufferSlice{mem.SliceBuffer(raw[:99]), mem.SliceBuffer(raw[99:])}, got); err != nil || !proto.Equal(got, want) {
		t.Errorf("%d sessions, %v", len(got.GetSessions()), err)
	}
}
