package client

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
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
	for n, size := range []int{7, 99, 16 << 10, 1 << 20} {
		got, processors := &pb.ListSessionsResponse{Total: 1}, n+1
		if err := unmarshalList(frames(raw, size), got, processors); err != nil || !proto.Equal(got, want) {
			t.Errorf("frames of %d: %d sessions of %d, total %d, %v", size, len(got.GetSessions()), len(want.GetSessions()), got.GetTotal(), err)
		}
		if err := unmarshalList(frames(raw[:len(raw)-1], size), got, processors); err == nil {
			t.Errorf("frames of %d: the end is missing, and nobody has seen it", size)
		}
		broken := slices.Concat(raw[:len(raw)/2], bytes.Repeat([]byte{0xff}, 9), raw[len(raw)/2:])
		if err := unmarshalList(frames(broken, size), got, processors); err == nil {
			t.Errorf("frames of %d: the middle is broken, and nobody has seen it", size)
		}
		if err := unmarshalList(frames([]byte{0x0a, 0x00}, size), got, processors); err != nil || len(got.GetSessions()) != 1 {
			t.Errorf("frames of %d: one empty session is %v, %v", size, got, err)
		}
	}
	got := &pb.ListSessionsResponse{}
	if err := newCodec().Unmarshal(mem.BufferSlice{mem.SliceBuffer(raw[:99]), mem.SliceBuffer(raw[99:])}, got); err != nil || !proto.Equal(got, want) {
		t.Errorf("%d sessions, %v", len(got.GetSessions()), err)
	}
}

// A session that is larger than a part is decoded, too.
func TestLargeSessionsAreDecoded(t *testing.T) {
	want := &pb.ListSessionsResponse{Sessions: []*pb.SessionSummary{{Id: "a"}, {LastMessagePreview: strings.Repeat("x", 3*partBytes)}, {Id: "b"}}}
	raw, err := proto.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got := &pb.ListSessionsResponse{}
	if err := unmarshalList(frames(raw, 99), got, 2); err != nil || !proto.Equal(got, want) {
		t.Errorf("%d sessions, %v", len(got.GetSessions()), err)
	}
}

// frames are bytes as they arrive: in frames of a size.
func frames(raw []byte, size int) (data mem.BufferSlice) {
	for frame := range slices.Chunk(raw, size) {
		data = append(data, mem.SliceBuffer(frame))
	}
	return data
}
