package console

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// addEmptyLists adds an empty JSON list for each repeated field of m that has no
// elements. The protobuf mapping leaves the key out, and programs that iterate over it
// then fail. Other unset fields stay absent.
func addEmptyLists(m protoreflect.Message, object map[string]any) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		name := string(field.Name())
		switch {
		case field.IsMap():
			addToMap(field, m.Get(field).Map(), object[name])
		case field.IsList():
			list := m.Get(field).List()
			if list.Len() == 0 && field.ContainingOneof() == nil {
				object[name] = []any{}
				continue
			}
			values, _ := object[name].([]any)
			for j := 0; isOurs(field) && j < len(values); j++ {
				addToValue(list.Get(j).Message(), values[j])
			}
		case isOurs(field) && m.Has(field):
			addToValue(m.Get(field).Message(), object[name])
		}
	}
}

func addToMap(field protoreflect.FieldDescriptor, values protoreflect.Map, object any) {
	if shown, ok := object.(map[string]any); ok && isOurs(field.MapValue()) {
		values.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
			addToValue(value.Message(), shown[key.String()])
			return true
		})
	}
}

func addToValue(m protoreflect.Message, value any) {
	if object, ok := value.(map[string]any); ok {
		addEmptyLists(m, object)
	}
}

// isOurs reports whether a field is a message with the plain JSON mapping. Those of
// protobuf itself, such as Struct and Timestamp, have mappings of their own.
func isOurs(field protoreflect.FieldDescriptor) bool {
	m := field.Message()
	return m != nil && !strings.HasPrefix(string(m.FullName()), "google.protobuf.")
}
