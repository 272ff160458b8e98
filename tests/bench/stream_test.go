//go:build linux

package bench

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // registers the codec that is used
	"google.golang.org/grpc/mem"

	pb "betcode/proto/betcode/v1"
)

// received is an event as any client has it, decoded, with its size on the wire.
type received struct {
	pb.AgentEvent
	size int
}

// encoded is an event that is sent as it is; the floor server's.
type encoded []byte

// codec is gRPC's own, for those two as well.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2("proto")} }

// Unmarshal implements encoding.CodecV2.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if r, ok := v.(*received); ok {
		r.size = data.Len()
		return c.CodecV2.Unmarshal(data, &r.AgentEvent)
	}
	return c.CodecV2.Unmarshal(data, v)
}

// Marshal implements encoding.CodecV2.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if e, ok := v.(*encoded); ok {
		return mem.BufferSlice{mem.SliceBuffer(*e)}, nil
	}
	return c.CodecV2.Marshal(v)
}

func dial(socket string, more ...grpc.DialOption) (*grpc.ClientConn, error) {
	return grpc.NewClient("unix:"+socket, append(more, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(newCodec()), grpc.MaxCallRecvMsgSize(64<<20)))...)
}

// tally is what came through one stream, up to the end of a turn or of the stream.
type tally struct {
	deltas  int
	events  int     // journaled ones, deltas included
	bytes   int64   // of those
	batches int     // runs of events with one timestamp, which one translation produced
	lagging int     // notices that the client does not keep up
	delays  []int64 // of the deltas, from write to receipt, in nanoseconds
	first   time.Time
	ended   time.Time
}

// reader reads events from one stream.
type reader struct {
	next    uint64 // number of the next event; 0 = whichever comes first
	unequal bool   // events have no numbers worth checking: the floor's
	toEnd   bool   // read to the end of the stream, not of the turn
	most    int    // events; 0 = all
	delays  bool   // note the delays
}

// read reads to the end of the turn, or of the stream. It checks that no number
// is missing.
func (r *reader) read(stream grpc.ClientStream) (t tally, err error) {
	var e received
	var at time.Time
	for {
		err := stream.RecvMsg(&e)
		if errors.Is(err, io.EOF) && r.toEnd {
			t.ended = time.Now()
			return t, nil
		}
		if err != nil {
			return t, err
		}
		if e.GetLagging() != nil {
			t.lagging++
		}
		if e.GetSequence() == 0 {
			continue
		}
		if r.next > 0 && e.GetSequence() != r.next && !r.unequal {
			return t, fmt.Errorf("event %d where %d was due", e.GetSequence(), r.next)
		}
		r.next = e.GetSequence() + 1
		if t.events == 0 {
			t.first = time.Now()
		}
		t.events, t.bytes = t.events+1, t.bytes+int64(e.size)
		if t.events == r.most {
			t.ended = time.Now()
			return t, nil
		}
		if now := e.GetTimestamp().AsTime(); !now.Equal(at) {
			t.batches, at = t.batches+1, now
		}
		switch {
		case e.GetTextDelta().GetText() != "":
			t.deltas++
			if r.delays {
				t.delays = append(t.delays, time.Now().UnixNano()-stamp(e.GetTextDelta().GetText()))
			}
		case e.GetError() != nil:
			return t, fmt.Errorf("the session says %v", e.GetError())
		case e.GetStatusChange().GetStatus() == pb.AgentStatus_IDLE && !r.toEnd:
			t.ended = time.Now()
			return t, nil
		}
	}
}

// stamp is when the agent wrote a delta.
func stamp(text string) int64 {
	digits, _, _ := strings.Cut(text, " ")
	at, _ := strconv.ParseInt(digits, 10, 64) // a wrong one makes an obviously wrong delay
	return at
}
