package kit

import (
	"fmt"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

// Event is one event as it was received: decoded, and the bytes of the wire.
type Event struct {
	*pb.AgentEvent
	Raw []byte
}

// codec is gRPC's ordinary one, but it keeps the bytes of an [Event].
type codec struct{}

// Name implements encoding.CodecV2.
func (codec) Name() string { return "proto" }

// Marshal implements encoding.CodecV2.
func (codec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("encode: %T is no message", v)
	}
	b, err := proto.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return mem.BufferSlice{mem.SliceBuffer(b)}, nil
}

// Unmarshal implements encoding.CodecV2.
func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	switch v := v.(type) {
	case *Event:
		v.Raw, v.AgentEvent = data.Materialize(), &pb.AgentEvent{}
		return proto.Unmarshal(v.Raw, v.AgentEvent)
	case proto.Message:
		return proto.Unmarshal(data.Materialize(), v)
	}
	return fmt.Errorf("decode: %T is no message", v)
}
