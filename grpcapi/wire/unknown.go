package wire

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// UnknownFields names the fields of a message, and of the messages in it, that this daemon does not
// know, as "UserMessage.77". Newer clients send such fields. The daemon preserves and ignores them.
func UnknownFields(m proto.Message) []string { return unknownFields(m.ProtoReflect(), nil) }

func unknownFields(m protoreflect.Message, found []string) []string {
	for raw := m.GetUnknown(); len(raw) > 0; {
		number, _, n := protowire.ConsumeField(raw)
		if n < 0 {
			break
		}
		if number != malformedField && number != legacyField { // our own marks
			found = append(found, string(m.Descriptor().Name())+"."+strconv.Itoa(int(number)))
		}
		raw = raw[n:]
	}
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.IsMap():
			if field.MapValue().Message() != nil {
				v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					found = unknownFields(v.Message(), found)
					return true
				})
			}
		case field.Message() == nil:
		case field.IsList():
			for i := range v.List().Len() {
				found = unknownFields(v.List().Get(i).Message(), found)
			}
		default:
			found = unknownFields(v.Message(), found)
		}
		return true
	})
	return found
}
