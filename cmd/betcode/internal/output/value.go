package output

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"betcode/cmd/betcode/internal/console"
)

// Object returns a value as a JSON object of plain Go values. A message gets the names of the .proto files, numbers for
// all integers, and empty lists instead of missing keys.
func Object(value any) (map[string]any, error) {
	if m, ok := value.(proto.Message); ok {
		return console.MessageObject(m)
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode output: %w", err)
	}
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, fmt.Errorf("encode output: %w", err)
	}
	return object, nil
}

// isOurs reports whether a message has the plain JSON mapping. Those of protobuf itself, such as Struct, have their own.
func isOurs(m protoreflect.MessageDescriptor) bool { return m.FullName().Parent() != "google.protobuf" }

// fieldsOf returns the fields of the objects in a list, or of the value itself, in the order of the contract.
func (v View) fieldsOf(objects []map[string]any) []string {
	if m, ok := v.Value.(proto.Message); ok {
		described := m.ProtoReflect().Descriptor()
		if v.List != "" {
			described = described.Fields().ByName(protoreflect.Name(v.List)).Message()
		}
		names := make([]string, described.Fields().Len())
		for i := range names {
			names[i] = string(described.Fields().Get(i).Name())
		}
		for _, m := range v.Added {
			names = append(names, m.Name)
		}
		return names
	}
	var names []string
	for _, object := range objects {
		for name := range object {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == "schema" })
}

// zero returns the value of a field that an object does not have: the zero value of its kind, or null for a message.
func (v View) zero(name string) any {
	m, ok := v.Value.(proto.Message)
	if !ok {
		return nil
	}
	described := m.ProtoReflect().Descriptor()
	if v.List != "" {
		described = described.Fields().ByName(protoreflect.Name(v.List)).Message()
	}
	field := described.Fields().ByName(protoreflect.Name(name))
	switch {
	case field == nil || field.HasPresence() && field.Message() != nil:
		return nil
	case field.IsMap():
		return map[string]any{}
	case field.IsList():
		return []any{}
	}
	switch field.Kind() { //nolint:exhaustive // all others are numbers
	case protoreflect.StringKind, protoreflect.BytesKind:
		return ""
	case protoreflect.BoolKind:
		return false
	case protoreflect.EnumKind:
		return string(field.Enum().Values().Get(0).Name())
	}
	return 0
}

// text returns a value for the name form and for sorting.
func text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}
