package wire

import (
	"strings"

	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// Codec is the protobuf codec with two differences. An event is already encoded: its bytes are
// passed on and shared by all streams. A request that cannot be decoded becomes an empty message
// with a mark, see [Malformed]. gRPC itself would answer it with INTERNAL before any of our code
// runs.
type Codec struct{ proto encoding.CodecV2 }

// NewCodec returns the codec of the server.
func NewCodec() Codec { return Codec{encoding.GetCodecV2(grpcproto.Name)} }

// Name implements [encoding.CodecV2].
func (c Codec) Name() string { return c.proto.Name() }

// Marshal implements [encoding.CodecV2].
func (c Codec) Marshal(v any) (mem.BufferSlice, error) {
	if e, ok := v.(*messages.Event); ok {
		return mem.BufferSlice{mem.SliceBuffer(e.Bytes)}, nil
	}
	return c.proto.Marshal(v)
}

// Unmarshal implements [encoding.CodecV2].
func (c Codec) Unmarshal(data mem.BufferSlice, v any) error {
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

// malformedField is the number of the mark: the highest that a field can have.
const malformedField = protowire.MaxValidNumber

func markMalformed(m proto.Message, cause error) {
	proto.Reset(m)
	unknown := protowire.AppendTag(nil, malformedField, protowire.BytesType)
	m.ProtoReflect().SetUnknown(protowire.AppendString(unknown, cause.Error()))
}

// legacyField is the number of the mark of an answer in the format of older clients.
const legacyField = malformedField - 1

func markLegacy(m proto.Message) {
	unknown := protowire.AppendTag(m.ProtoReflect().GetUnknown(), legacyField, protowire.VarintType)
	m.ProtoReflect().SetUnknown(protowire.AppendVarint(unknown, 1))
}

// LegacyAnswer reports whether a request answers a permission in the format of older
// clients: their edited input is in the field of the idempotency key, as a message or as
// text.
func LegacyAnswer(request *pb.AgentRequest) bool {
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
	return key != "" && CanonicalUUID(key) == ""
}

// Malformed returns an error if v carries the mark of a request that [Codec] could not decode.
func Malformed(v any) error {
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
	cause = strings.ReplaceAll(cause, "\u00a0", " ") // the protobuf library varies spaces in its error texts
	return messages.Errorf("decode "+name, messages.Invalid, "%s", Printable(cause)).
		WithHint("Encode " + name + " as betcode.v1 has it, with text in UTF-8.")
}

// The fields in which published clients send an edited input: AgentRequest.permission,
// PermissionResponse.idempotency_key. The latter is a string in betcode.v1.
const (
	permissionField     = 3
	idempotencyKeyField = 3
)

// withoutForeignKey removes PermissionResponse.idempotency_key, which may not be text, and
// returns its value. It reports whether the field was there and the request well-formed.
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
// with its tag, value the content of a length-delimited field. It reports whether the
// encoding was valid.
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
