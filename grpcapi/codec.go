package grpcapi

import (
	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"betcode/messages"
	"betcode/messages/toolcall"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

// codec is the protobuf codec, except that an event is already encoded: its
// bytes are passed on, shared by all streams they go to.
//
// It also takes over from gRPC what happens to a request that cannot be decoded.
// gRPC answers it with INTERNAL before any of our code runs; here it becomes an
// empty message with a mark, which the interceptors turn into INVALID_ARGUMENT.
type codec struct{ proto encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2(grpcproto.Name)} }

// Name implements [encoding.CodecV2].
func (c codec) Name() string { return c.proto.Name() }

// Marshal implements [encoding.CodecV2].
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if e, ok := v.(*messages.Event); ok {
		return mem.BufferSlice{mem.SliceBuffer(e.Bytes)}, nil
	}
	return c.proto.Marshal(v)
}

// Unmarshal implements [encoding.CodecV2].
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	err := c.proto.Unmarshal(data, v)
	request, isRequest := v.(*pb.AgentRequest)
	if err == nil {
		if isRequest && readPublishedAnswer(request.GetPermission(), nil) {
			markLegacy(request)
		}
		return nil
	}
	if isRequest {
		if repaired, key, ok := withoutForeignKey(data.Materialize()); ok && proto.Unmarshal(repaired, request) == nil {
			readPublishedAnswer(request.GetPermission(), key)
			markLegacy(request)
			return nil
		}
	}
	m, ok := v.(proto.Message)
	if !ok || m.ProtoReflect().Descriptor().ParentFile().Package() != "betcode.v1" {
		return err
	}
	markMalformed(m, err)
	return nil
}

// malformedField carries the mark: the highest number a field can have.
const malformedField = protowire.MaxValidNumber

func markMalformed(m proto.Message, cause error) {
	proto.Reset(m)
	unknown := protowire.AppendTag(nil, malformedField, protowire.BytesType)
	m.ProtoReflect().SetUnknown(protowire.AppendString(unknown, cause.Error()))
}

// legacyField marks an answer in the format of older clients.
const legacyField = malformedField - 1

func markLegacy(m proto.Message) {
	unknown := protowire.AppendTag(m.ProtoReflect().GetUnknown(), legacyField, protowire.VarintType)
	m.ProtoReflect().SetUnknown(protowire.AppendVarint(unknown, 1))
}

// legacyAnswer reports whether a request answers a permission in the format of older
// clients: where the API has an idempotency key they have an edited input, as a
// message or as text.
func legacyAnswer(request *pb.AgentRequest) bool {
	if request.GetPermission() == nil {
		return false
	}
	for raw := request.ProtoReflect().GetUnknown(); len(raw) > 0; {
		number, _, n := protowire.ConsumeField(raw)
		if n < 0 {
			break
		}
		if number == legacyField {
			return true
		}
		raw = raw[n:]
	}
	key := request.GetPermission().GetIdempotencyKey()
	return key != "" && canonicalUUID(key) == ""
}

// malformed returns an error if v carries the codec's mark.
func malformed(v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return nil
	}
	number, kind, n := protowire.ConsumeTag(m.ProtoReflect().GetUnknown())
	if n < 0 || number != malformedField || kind != protowire.BytesType {
		return nil
	}
	cause, _ := protowire.ConsumeString(m.ProtoReflect().GetUnknown()[n:])
	name := string(m.ProtoReflect().Descriptor().Name())
	return messages.Errorf("decode "+name, messages.Invalid, "%s", printable(cause)).
		WithHint("Send a " + name + " encoded as betcode.v1 has it, with text in UTF-8.")
}

// printable is what a parser said about bytes of a stranger, fit for a log line.
func printable(s string) string {
	const most = 200
	return toolcall.Cut(visible.Line(toolcall.Cut(s, most)), most)
}

// The place where existing clients put an edited input: AgentRequest.permission,
// PermissionResponse.idempotency_key. Ours is a string there.
const (
	permissionField     = 3
	idempotencyKeyField = 3
)

// withoutForeignKey removes what stands in PermissionResponse.idempotency_key
// when it is not text, and returns it. It reports whether there was something to remove.
func withoutForeignKey(request []byte) (out, key []byte, ok bool) {
	removed := false
	ok = eachField(request, func(number protowire.Number, kind protowire.Type, whole, value []byte) {
		if number != permissionField || kind != protowire.BytesType {
			out = append(out, whole...)
			return
		}
		var permission []byte
		inner := eachField(value, func(number protowire.Number, kind protowire.Type, whole, value []byte) {
			if number == idempotencyKeyField && kind == protowire.BytesType {
				removed, key = true, value
				return
			}
			permission = append(permission, whole...)
		})
		if !inner {
			permission = value
		}
		out = protowire.AppendTag(out, number, kind)
		out = protowire.AppendBytes(out, permission)
	})
	return out, key, ok && removed
}

// eachField calls visit for every field of an encoded message: whole is the field
// with its tag, value what a length-delimited field holds. It reports whether the
// encoding was sound.
func eachField(message []byte, visit func(number protowire.Number, kind protowire.Type, whole, value []byte)) bool {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return false
		}
		length := protowire.ConsumeFieldValue(number, kind, message[n:])
		if length < 0 {
			return false
		}
		var value []byte
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(message[n : n+length])
		}
		visit(number, kind, message[:n+length], value)
		message = message[n+length:]
	}
	return true
}
