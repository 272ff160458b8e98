package eventtest

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"

	pb "betcode/proto/betcode/v1"
)

// Hostile are texts that a terminal obeys, that a person does not see, or that change how others are seen, by name.
func Hostile() map[string]string {
	return map[string]string{
		"clipboard (OSC 52)":       "\x1b]52;c;aGFoYQ==\x07",
		"link (OSC 8)":             "\x1b]8;;http://evil\x1b\\shown\x1b]8;;\x1b\\",
		"title (OSC 0)":            "\x1b]0;owned\x07",
		"device control (DCS)":     "\x1bP$q\"p\x1b\\",
		"application (APC, kitty)": "\x1b_Gi=1;x\x1b\\",
		"screen (CSI ?1049l)":      "\x1b[?1049l",
		"cleared (CSI 2J)":         "\x1b[2J\x1b[H",
		"mouse on (CSI ?1003h)":    "\x1b[?1003h",
		"question (DSR)":           "\x1b[6n\x05",
		"reset (RIS)":              "\x1bc",
		"C1":                       "\u009b2J\u009d0;t\u009c\u0090x\u009c\u0085",
		"a torn sequence":          "\x1b",
		"a torn colour":            "\x1b[3",
		"a carriage return":        "safe\rrm",
		"backspaces":               "rm\b\bls",
		"controls":                 "\x00\x07\x0b\x0c\x0e\x0f\x7f",
		"bidi":                     "\u202eevil\u202c\u2066x\u2069\u200f",
		"zero width":               "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00ad",
		"other ends of lines":      "a\u2028b\u2029c",
		"tabs":                     "a\tb\n\tc\t",
		"tags":                     "a\U000e0041\U000e007f",
	}
}

// Fill writes a text into every string of a message, and into the messages within it; a list gets one element.
func Fill(m proto.Message, text string) { fill(m.ProtoReflect(), text, 6) }

func fill(m protoreflect.Message, text string, depth int) {
	if depth == 0 {
		return
	}
	switch v := m.Interface().(type) {
	case *structpb.Struct:
		v.Fields = map[string]*structpb.Value{
			"command": structpb.NewStringValue(text), "key" + text: structpb.NewStringValue(text), "old_string": structpb.NewStringValue(text), "new_string": structpb.NewStringValue("x" + text),
			"list": structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStringValue(text)}}),
		}
		return
	case *structpb.Value:
		v.Kind = &structpb.Value_StringValue{StringValue: text}
		return
	}
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() && m.WhichOneof(o) != nil {
			continue // one of them is chosen already
		}
		switch {
		case f.IsMap():
			if f.MapKey().Kind() == protoreflect.StringKind && f.MapValue().Kind() == protoreflect.StringKind {
				m.Mutable(f).Map().Set(protoreflect.ValueOfString(text).MapKey(), protoreflect.ValueOfString(text))
			}
		case f.IsList() && f.Kind() == protoreflect.MessageKind:
			fill(m.Mutable(f).List().AppendMutable().Message(), text, depth-1)
		case f.IsList() && f.Kind() == protoreflect.StringKind:
			m.Mutable(f).List().Append(protoreflect.ValueOfString(text))
		case f.IsList():
		case f.Kind() == protoreflect.MessageKind:
			fill(m.Mutable(f).Message(), text, depth-1)
		case f.Kind() == protoreflect.StringKind:
			m.Set(f, protoreflect.ValueOfString(text))
		case f.Kind() == protoreflect.BytesKind:
			m.Set(f, protoreflect.ValueOfBytes([]byte(text)))
		}
	}
}

// HostileEvents returns each kind of event with a text in every string, once with its enums and flags unset and once set.
func HostileEvents(text string) (events []*pb.AgentEvent) {
	kinds := (&pb.AgentEvent{}).ProtoReflect().Descriptor().Oneofs().ByName("event").Fields()
	for i := range kinds.Len() {
		for _, set := range []bool{false, true} {
			e := &pb.AgentEvent{}
			content := e.ProtoReflect().Mutable(kinds.Get(i)).Message()
			fill(content, text, 6)
			for j := range content.Descriptor().Fields().Len() {
				f := content.Descriptor().Fields().Get(j)
				switch {
				case f.IsList() || !set:
				case f.Kind() == protoreflect.BoolKind && f.Name() != "withdrawn":
					content.Set(f, protoreflect.ValueOfBool(true))
				case f.Kind() == protoreflect.EnumKind:
					content.Set(f, protoreflect.ValueOfEnum(f.Enum().Values().Get(min(2, f.Enum().Values().Len()-1)).Number()))
				}
			}
			events = append(events, e)
		}
	}
	return events
}
