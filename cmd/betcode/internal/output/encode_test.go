package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// The encoder writes every message of the API as [Object] and [console.WriteValue] do, byte by byte.
func TestEncoderWritesWhatObjectsAre(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // no secret
	messages := 0
	protoregistry.GlobalTypes.RangeMessages(func(kind protoreflect.MessageType) bool {
		if kind.Descriptor().ParentFile().Package() != "betcode.v1" || kind.Descriptor().IsMapEntry() {
			return true
		}
		messages++
		for round := range 6 {
			m := kind.New()
			fill(random, m, 3, round)
			for _, indent := range []string{"", "  "} {
				object, err := Object(m.Interface())
				if err != nil {
					t.Fatalf("%s: %v", kind.Descriptor().FullName(), err)
				}
				object["added"], object["more"] = "x\u202e", map[string]any{"a": []any{1, "b"}}
				var want bytes.Buffer
				if err := console.WriteValue(&want, object, indent); err != nil {
					t.Fatal(err)
				}
				e := newEncoder(indent)
				p := e.planOf(m.Interface(), []Member{
					{"more", func(int) any { return map[string]any{"a": []any{1, "b"}} }}, {"added", func(int) any { return "x\u202e" }},
				})
				if err := e.message(p, reflect.ValueOf(m.Interface()), 0, 0); err != nil {
					t.Fatal(err)
				}
				if got := string(e.out) + "\n"; got != want.String() {
					t.Fatalf("%s, round %d: got\n%s\nwant\n%s", kind.Descriptor().FullName(), round, got, &want)
				}
			}
		}
		return true
	})
	if messages < 100 {
		t.Errorf("only %d messages", messages)
	}
}

// fill sets fields of a message: none in round 0, all in round 1, then some.
func fill(r *rand.Rand, m protoreflect.Message, depth, round int) {
	switch known := m.Interface().(type) {
	case *timestamppb.Timestamp:
		at := time.Unix(r.Int64N(1<<33), []int64{0, 5_000_000, 123_456_000, 999_999_999}[r.IntN(4)])
		proto.Merge(known, timestamppb.New(at))
		return
	case *structpb.Struct:
		s, err := structpb.NewStruct(map[string]any{"b": []any{"x", 1.5, nil, true, map[string]any{}}, "a": map[string]any{"k\"": "\u200b"}})
		if err != nil {
			panic(err)
		}
		proto.Merge(known, s)
		return
	}
	if !isOurs(m.Descriptor()) || depth == 0 || round == 0 {
		return
	}
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		if round > 1 && r.IntN(3) == 0 {
			continue
		}
		switch {
		case f.IsMap():
			for range r.IntN(4) {
				key := scalar(r, f.MapKey()).MapKey()
				if f.MapValue().Message() == nil {
					m.Mutable(f).Map().Set(key, scalar(r, f.MapValue()))
					continue
				}
				fill(r, m.Mutable(f).Map().Mutable(key).Message(), depth-1, round)
			}
		case f.IsList():
			for range r.IntN(4) {
				if f.Message() == nil {
					m.Mutable(f).List().Append(scalar(r, f))
					continue
				}
				fill(r, m.Mutable(f).List().AppendMutable().Message(), depth-1, round)
			}
		case f.Message() != nil:
			fill(r, m.Mutable(f).Message(), depth-1, round)
		default:
			m.Set(f, scalar(r, f))
		}
	}
}

// scalar returns a value of a field, often an unusual one.
func scalar(r *rand.Rand, f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.StringKind:
		texts := []string{"", "plain", `quote " and \`, "lines\n\tand <html> & 'more'", "é 漢 \U0001f600", "\u2028\u202e\u200b\x1b[2J\x7f", strings.Repeat("x", 300)}
		return protoreflect.ValueOfString(texts[r.IntN(len(texts))])
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(fmt.Sprint(r.Int())))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(r.IntN(2) == 0)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(r.IntN(f.Enum().Values().Len() + 2))) //nolint:gosec // it is small
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32([]float32{0, 0.1, 3, -1e-9, float32(math.Inf(1))}[r.IntN(5)])
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64([]float64{0, 0.1, 3, 1e21, -1e-9, 123456.789, math.Inf(-1), math.NaN()}[r.IntN(8)])
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(r.Uint32())) //nolint:gosec // any number is right
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(r.Uint64())) //nolint:gosec // any number is right
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(r.Uint32())
	}
	return protoreflect.ValueOfUint64(r.Uint64())
}

// A list is written the same directly and by way of objects, by one processor and by several.
func TestDirectLists(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // no secret
	for _, n := range []int{0, 1, 3, 1000} {
		list := &pb.ListSessionsResponse{Total: 7}
		for range n {
			s := &pb.SessionSummary{}
			fill(random, s.ProtoReflect(), 3, 2)
			list.Sessions = append(list.Sessions, s)
		}
		v := View{
			Schema: "betcode.session.list/v2", Value: list, List: "sessions",
			Added:   []Member{{"state", func(i int) any { return fmt.Sprint(i) }}, {"name", func(int) any { return "replaced" }}},
			Columns: console.Columns("ID", "NAME"),
			Row:     func(i int, _ Look) []string { return []string{list.GetSessions()[i].GetId(), fmt.Sprint(i)} },
		}
		for _, form := range []Form{Auto, Table, JSON, JSONL, Name} {
			p := Printer{Console: console.New(nil, nil, nil, nil), Options: Options{Form: form}}
			var got, want bytes.Buffer
			if written, err := p.direct(&got, v); !written || err != nil {
				t.Fatalf("%s: written %v, %v", form, written, err)
			}
			if err := p.byObjects(&want, v); err != nil {
				t.Fatal(err)
			}
			if got.String() != want.String() {
				t.Errorf("%d sessions as %q: got\n%.2000s\nwant\n%.2000s", n, form, &got, &want)
			}
		}
	}
}

// FuzzTexts holds that a text is written as [console.WriteValue] writes it.
func FuzzTexts(f *testing.F) {
	for _, text := range []string{"", "plain", `quote " and \`, "\b\f\n\r\t\x00\x1f\x7f", "<html> & 'more'", "é 漢 \U0001f600", "\u2028\u202e\u200b\u0085\ufeff", "\U000e0041", "\ufffd\xff\xc3("} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want bytes.Buffer
		if err := console.WriteValue(&want, text, ""); err != nil {
			t.Fatal(err)
		}
		if got := string(appendText(nil, text)) + "\n"; got != want.String() {
			t.Errorf("%q: got %s want %s", text, got, &want)
		}
	})
}

// broken is a writer that takes so many bytes.
type broken int

func (b *broken) Write(p []byte) (int, error) {
	if *b -= broken(len(p)); *b < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// A reader that goes away ends a long list, and nothing encodes on.
func TestListsEndWithTheirReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := &pb.ListSessionsResponse{Sessions: make([]*pb.SessionSummary, 5000)} // without a message an item is an empty one
		for _, form := range []Form{JSON, JSONL} {
			takes := broken(5000)
			p := Printer{Console: console.New(nil, nil, nil, nil), Options: Options{Form: form}}
			if _, err := p.direct(&takes, View{Value: list, List: "sessions"}); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("%s: %v", form, err)
			}
		}
	})
}
