package console

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// MessageObject returns m as [MessageJSON] does, with numbers for all integers: the mapping of protobuf has strings for those
// of 64 bits.
func MessageObject(m proto.Message) (map[string]any, error) {
	object, err := MessageJSON(m)
	if err != nil {
		return nil, err
	}
	addNumbers(m.ProtoReflect(), object)
	return object, nil
}

// addNumbers replaces the strings that the protobuf mapping writes for integers of 64 bits.
func addNumbers(m protoreflect.Message, object map[string]any) {
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		name := string(field.Name())
		switch {
		case field.IsMap():
			values, _ := object[name].(map[string]any)
			value.Map().Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
				values[key.String()] = number(field.MapValue(), value, values[key.String()])
				return true
			})
		case field.IsList():
			values, _ := object[name].([]any)
			for i := range values {
				values[i] = number(field, value.List().Get(i), values[i])
			}
		default:
			object[name] = number(field, value, object[name])
		}
		return true
	})
}

// number returns the JSON form of a field's value, given the form of the protobuf mapping.
func number(field protoreflect.FieldDescriptor, value protoreflect.Value, written any) any {
	switch field.Kind() { //nolint:exhaustive // the mapping writes all others as they are
	case protoreflect.MessageKind, protoreflect.GroupKind:
		if object, ok := written.(map[string]any); ok && isOurs(field) {
			addNumbers(value.Message(), object)
		}
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return value.Int()
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return value.Uint()
	}
	return written
}
