package output

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// plan describes how the messages of a type are written: their members in the order of their names.
type plan []member

// member is a field of a message, or a derived one, with the bytes before its value.
type member struct {
	name    string
	key     []byte
	derived func(i int) any // nil for a field of the message
	field   protoreflect.FieldDescriptor
	kind    protoreflect.Kind
	list    bool
	place   int          // of the field, or of the oneof that has it, in the Go struct
	oneof   reflect.Type // the wrapper type if the field is in a oneof; nil for any other field
}

// planOf returns how messages of m's type are written, with members that are derived; those replace fields with their names.
func (e *encoder) planOf(m proto.Message, derived []Member) plan {
	kind := reflect.TypeOf(m).Elem()
	fields := m.ProtoReflect().Descriptor().Fields()
	p := make(plan, 0, fields.Len()+len(derived))
	for _, d := range derived {
		p = append(p, member{name: d.Name, key: e.key(d.Name), derived: d.Value})
	}
	for i := range fields.Len() {
		f := fields.Get(i)
		name := string(f.Name())
		if slices.ContainsFunc(derived, func(d Member) bool { return d.Name == name }) {
			continue
		}
		made := member{name: name, key: e.key(name), field: f, kind: f.Kind(), list: f.IsList(), place: placeOf(kind, f)}
		if inOneof(f) {
			with := m.ProtoReflect().New()
			with.Set(f, with.NewField(f))
			made.oneof = reflect.ValueOf(with.Interface()).Elem().Field(made.place).Elem().Type()
		}
		p = append(p, made)
	}
	slices.SortFunc(p, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	return p
}

// of returns the value of a field of a struct; none if it is not set. A list is always set.
func (f *member) of(m reflect.Value) reflect.Value {
	v := m.Field(f.place)
	switch {
	case f.list:
		return v
	case f.oneof != nil:
		if v.IsNil() || v.Elem().Type() != f.oneof || v.Elem().IsNil() {
			return reflect.Value{}
		}
		return v.Elem().Elem().Field(0)
	case f.unset(v):
		return reflect.Value{}
	case v.Kind() == reflect.Pointer && f.field.Message() == nil: // an optional number or text
		return v.Elem()
	}
	return v
}

// unset reports whether a value is that of an unset field.
func (f *member) unset(v reflect.Value) bool {
	switch v.Kind() { //nolint:exhaustive // all others are numbers
	case reflect.String:
		return v.String() == ""
	case reflect.Pointer:
		return v.IsNil()
	case reflect.Map, reflect.Slice:
		return v.IsNil() || v.Len() == 0 && !f.field.HasPresence()
	}
	return v.IsZero()
}

// inOneof reports whether a field is one of several of which a message has one.
func inOneof(f protoreflect.FieldDescriptor) bool {
	return f.ContainingOneof() != nil && !f.ContainingOneof().IsSynthetic()
}

// placeOf returns the index of a field in the generated struct of its message, by its tag.
func placeOf(kind reflect.Type, f protoreflect.FieldDescriptor) int {
	for i := range kind.NumField() {
		tag := kind.Field(i).Tag
		if inOneof(f) && tag.Get("protobuf_oneof") == string(f.ContainingOneof().Name()) {
			return i
		}
		if slices.Contains(strings.Split(tag.Get("protobuf"), ","), "name="+string(f.Name())) {
			return i
		}
	}
	panic("output: no place for " + f.FullName()) // a test covers every message of the API
}
