package grpcapi

import (
	"context"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Newer clients may send fields that this daemon does not know. They are kept, as
// protobuf does, counted and logged; they change nothing.

// unknownKey is where health tells how many there were.
const unknownKey = "unknown_fields_received"

// noteUnknown counts the unknown fields of a request.
func (s *Server) noteUnknown(ctx context.Context, v any) {
	m, ok := v.(proto.Message)
	if !ok {
		return
	}
	found := unknownFields(m.ProtoReflect(), nil)
	if len(found) == 0 {
		return
	}
	s.unknown.Add(int64(len(found)))
	c := callOf(ctx)
	s.log.Debug().Str(fieldTarget, target).Str(fieldSpan, span(c.method)).Str(fieldSession, string(c.session)).
		Strs("fields", found[:min(len(found), 20)]).Msg("request has fields unknown to this daemon")
}

// unknownFields names the unknown fields of a message and of what is in it, as
// "UserMessage.77".
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
