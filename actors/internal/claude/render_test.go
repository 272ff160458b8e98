package claude

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	betcodev1 "betcode/proto/betcode/v1"
)

// render shows an item on one line: events by their name, signals after a dot.
// Fields without a value and the time of an event are left out.
func render(i Item) string {
	if d, ok := i.(Draft); ok {
		return renderEvent(d.Event)
	}
	return "· " + renderValue(reflect.ValueOf(i))
}

func renderEvent(e *betcodev1.AgentEvent) string {
	r := e.ProtoReflect()
	which := r.WhichOneof(r.Descriptor().Oneofs().ByName("event"))
	s := string(which.Message().Name()) + renderMessage(r.Get(which).Message())
	if e.ParentToolUseId != "" {
		s += " ^" + e.ParentToolUseId
	}
	return s
}

func renderMessage(m protoreflect.Message) string {
	switch v := m.Interface().(type) {
	case *structpb.Struct:
		b, _ := json.Marshal(v.AsMap())
		return brief(string(b))
	case *timestamppb.Timestamp:
		return v.AsTime().Format(time.RFC3339)
	}
	var parts []string
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if !m.Has(f) {
			continue
		}
		parts = append(parts, string(f.Name())+"="+renderField(f, m.Get(f)))
	}
	return "{" + strings.Join(parts, " ") + "}"
}

func renderField(f protoreflect.FieldDescriptor, v protoreflect.Value) string {
	switch {
	case f.IsMap():
		var parts []string
		v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
			parts = append(parts, k.String()+":"+renderScalar(f.MapValue(), v))
			return true
		})
		sort.Strings(parts)
		return "{" + strings.Join(parts, " ") + "}"
	case f.IsList():
		var parts []string
		for i := range v.List().Len() {
			parts = append(parts, renderScalar(f, v.List().Get(i)))
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return renderScalar(f, v)
}

func renderScalar(f protoreflect.FieldDescriptor, v protoreflect.Value) string {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return renderMessage(v.Message())
	case protoreflect.EnumKind:
		return string(f.Enum().Values().ByNumber(v.Enum()).Name())
	case protoreflect.StringKind:
		return brief(fmt.Sprintf("%q", v.String()))
	case protoreflect.BytesKind:
		return brief(fmt.Sprintf("%q", v.Bytes()))
	default:
		return v.String()
	}
}

func renderValue(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Time:
		return x.UTC().Format(time.RFC3339)
	case fmt.Stringer:
		return x.String()
	case []byte:
		return brief(string(x))
	}
	switch v.Kind() {
	case reflect.Struct:
		var parts []string
		for i := range v.NumField() {
			if f := v.Field(i); (!f.IsZero() || f.Type() == reflect.TypeFor[Lifecycle]()) && v.Type().Field(i).Name != "At" {
				parts = append(parts, v.Type().Field(i).Name+"="+renderValue(f))
			}
		}
		return v.Type().Name() + "{" + strings.Join(parts, " ") + "}"
	case reflect.Slice:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, renderValue(v.Index(i)))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case reflect.String:
		return brief(fmt.Sprintf("%q", v.String()))
	}
	return fmt.Sprint(v.Interface())
}

func brief(s string) string {
	const long = 300
	if len(s) <= long {
		return s
	}
	return fmt.Sprintf("%s…(%d bytes)", cut(s, long), len(s))
}
