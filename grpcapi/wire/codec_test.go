package wire

import (
	"testing"
	"unsafe"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// The codec sends the bytes of an event without a copy or a second encoding.
func TestCodecPassesEventsOn(t *testing.T) {
	e := messages.Event{Seq: 1, Bytes: []byte("encoded once")}
	data, err := NewCodec().Marshal(&e)
	if err != nil || len(data) != 1 || unsafe.SliceData(data[0].ReadOnlyData()) != unsafe.SliceData(e.Bytes) {
		t.Errorf("%v, %v", data, err)
	}
}

// Published clients send an edited input in the field of the idempotency key. It is not
// text, so a plain decoder refuses the message.
func TestForeignIdempotencyKey(t *testing.T) {
	var permission []byte
	permission = protowire.AppendString(protowire.AppendTag(permission, 1, protowire.BytesType), "req")
	permission = protowire.AppendVarint(protowire.AppendTag(permission, 2, protowire.VarintType), uint64(pb.PermissionDecision_ALLOW_ONCE))
	permission = protowire.AppendBytes(protowire.AppendTag(permission, 3, protowire.BytesType), []byte{0x0a, 0xff, 0xfe})
	raw := protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), permission)

	var request pb.AgentRequest
	if err := NewCodec().Unmarshal(mem.BufferSlice{mem.SliceBuffer(raw)}, &request); err != nil {
		t.Fatal(err)
	}
	got := request.GetPermission()
	if Malformed(&request) != nil || got.GetRequestId() != "req" || got.GetDecision() != pb.PermissionDecision_ALLOW_ONCE || got.GetIdempotencyKey() != "" {
		t.Errorf("got %v", &request)
	}
}
