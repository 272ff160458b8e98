package client

import (
	"io"
	"runtime"
	"slices"
	"sync"

	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

// codec is the protobuf codec. It decodes long lists of sessions on all processors: decoding ten thousand sessions is a third of
// the time of a command that lists them.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2(grpcproto.Name)} }

// longList is from how many bytes on a list is decoded on several processors.
const longList = 256 << 10

// Unmarshal implements [encoding.CodecV2].
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	list, ok := v.(*pb.ListSessionsResponse)
	if !ok || data.Len() < longList {
		return c.CodecV2.Unmarshal(data, v)
	}
	return unmarshalList(data, list, runtime.GOMAXPROCS(0))
}

// unmarshalList decodes a list in parts, on several processors: a message cut between two of its fields is two messages, which merge
// to the same message.
func unmarshalList(data mem.BufferSlice, list *pb.ListSessionsResponse, processors int) error {
	cut := cutter{data: data.Reader()}
	defer cut.data.Close()
	var all sync.WaitGroup
	for range processors {
		all.Go(func() {
			var buffer []byte
			for {
				var part *part
				if buffer, part = cut.next(buffer); part == nil {
					return
				}
				part.err = proto.Unmarshal(buffer, &part.list)
			}
		})
	}
	all.Wait()
	proto.Reset(list)
	for _, part := range cut.parts {
		if part.err != nil {
			return part.err
		}
		sessions := part.list.GetSessions()
		part.list.Sessions = nil
		proto.Merge(list, &part.list)
		list.Sessions = append(list.Sessions, sessions...)
	}
	return nil
}

// cutter cuts an encoded message into parts, between its fields.
type cutter struct {
	mu    sync.Mutex
	data  *mem.Reader
	rest  []byte  // read, but behind the last cut
	parts []*part // in order
}

// part is the message of some of the fields.
type part struct {
	list pb.ListSessionsResponse
	err  error
}

// partBytes is about how many bytes a part has: few enough for the cache of a processor.
const partBytes = 32 << 10

// next reads the next part into the memory of a buffer; nil at the end. Bytes behind a field that is not well-formed are one part,
// which cannot be decoded.
func (c *cutter) next(buffer []byte) ([]byte, *part) {
	c.mu.Lock()
	defer c.mu.Unlock()
	buffer = append(buffer[:0], c.rest...)
	whole := 0
	for whole == 0 && c.data.Remaining() > 0 {
		have, more := len(buffer), min(partBytes, c.data.Remaining())
		buffer = slices.Grow(buffer, more)[:have+more]
		_, _ = io.ReadFull(c.data, buffer[have:]) // it has as many bytes
		whole = fieldsOf(buffer)
	}
	if c.data.Remaining() == 0 {
		whole = len(buffer)
	}
	if whole == 0 {
		return buffer, nil
	}
	c.rest = append(c.rest[:0], buffer[whole:]...)
	c.parts = append(c.parts, &part{})
	return buffer[:whole], c.parts[len(c.parts)-1]
}

// fieldsOf returns the length of the fields that are complete.
func fieldsOf(raw []byte) int {
	n := 0
	for n < len(raw) {
		_, _, length := protowire.ConsumeField(raw[n:])
		if length < 0 {
			break
		}
		n += length
	}
	return n
}
