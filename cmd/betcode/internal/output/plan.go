package output

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// plan describes how the messages of a type are written. Encoders do not share plans: those of nested messages are added when the
// first such message is written.
type plan struct {
	known   bool     // well-known types of protobuf, which have their own mapping
	members []member // in the order of their names
}

// member is a field of a message, or a derived one, with the bytes before its value.
type member struct {
	name    string
	key     []byte
	derived func(i int) any // nil for a field of the message
	single                  // the value of the field, or of each entry of a list or a map
	shape   shape
	place   int          // of the field, or of the oneof that has it, in the Go struct
	oneof   reflect.Type // the wrapper type if the field is in a oneof; nil for any other field
}

// single describes one value.
type single struct {
	field protoreflect.FieldDescriptor
	kind  protoreflect.Kind
	plan  *plan // of the messages; nil before the first one is written
}

// shape describes the type of a field in the Go struct, and when the field is not set.
type shape int

const (
	aNumber  shape = iota // or a bool; unset = zero
	aText                 // or bytes, or a map; unset = empty
	aMessage              // or bytes with presence; unset = nil
	aPointer              // to an optional number or text; unset = nil
	aList                 // always set
	aOneof                // unset = the oneof has another field, or none
)

// planOf returns how messages of m's type are written, with members that are derived; those replace fields with their names.
func (e *encoder) planOf(m proto.Message, derived []Member) *plan {
	kind := reflect.TypeOf(m).Elem()
	fields := m.ProtoReflect().Descriptor().Fields()
	p := make([]member, 0, fields.Len()+len(derived))
	for _, d := range derived {
		p = append(p, member{name: d.Name, key: e.key(d.Name), derived: d.Value})
	}
	for i := range fields.Len() {
		f := fields.Get(i)
		name := string(f.Name())
		if slices.ContainsFunc(derived, func(d Member) bool { return d.Name == name }) {
			continue
		}
		made := member{name: name, key: e.key(name), single: single{field: f, kind: f.Kind()}, place: placeOf(kind, f)}
		made.shape = shapeOf(f, kind.Field(made.place).Type)
		if f.IsMap() {
			made.single = single{field: f.MapValue(), kind: f.MapValue().Kind()}
		}
		if made.shape == aOneof {
			with := m.ProtoReflect().New()
			with.Set(f, with.NewField(f))
			made.oneof = reflect.ValueOf(with.Interface()).Elem().Field(made.place).Elem().Type()
		}
		p = append(p, made)
	}
	slices.SortFunc(p, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	return &plan{members: p}
}

// shapeOf returns the shape of a field that has a type in the Go struct.
func shapeOf(f protoreflect.FieldDescriptor, kind reflect.Type) shape {
	switch {
	case f.IsList():
		return aList
	case inOneof(f):
		return aOneof
	case f.Message() != nil && !f.IsMap(), kind.Kind() == reflect.Slice && f.HasPresence():
		return aMessage
	case kind.Kind() == reflect.Pointer:
		return aPointer
	case f.IsMap(), kind.Kind() == reflect.Slice, kind.Kind() == reflect.String:
		return aText
	}
	return aNumber
}

// of returns the value of a field of a struct, and whether it is set.
func (f *member) of(m reflect.Value) (v reflect.Value, set bool) {
	v = m.Field(f.place)
	switch f.shape {
	case aList:
		return v, true
	case aText:
		return v, v.Len() > 0
	case aMessage:
		return v, !v.IsNil()
	case aPointer:
		return v.Elem(), !v.IsNil()
	case aOneof:
		if v.IsNil() || v.Elem().Type() != f.oneof || v.Elem().IsNil() {
			return v, false
		}
		return v.Elem().Elem().Field(0), true
	case aNumber:
	}
	return v, !v.IsZero()
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
		for part := range strings.SplitSeq(tag.Get("protobuf"), ",") {
			if name, ok := strings.CutPrefix(part, "name="); ok && name == string(f.Name()) {
				return i
			}
		}
	}
	panic("output: no place for " + f.FullName()) // a test covers every message of the API
}
