package output

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/console"
)

// value writes the value of a field.
func (e *encoder) value(f *member, v reflect.Value, depth int) error {
	switch {
	case f.shape == aList:
		return e.list(v.Len(), depth, func(i int) error { return e.single(&f.single, v.Index(i), depth+1) })
	case v.Kind() == reflect.Map:
		values := map[string]reflect.Value{}
		for key, value := range v.Seq2() {
			values[fmt.Sprint(key)] = value
		}
		e.out = append(e.out, '{')
		for i, key := range slices.Sorted(maps.Keys(values)) {
			if i > 0 {
				e.out = append(e.out, ',')
			}
			e.line(depth + 1)
			e.out = append(e.out, e.key(key)...)
			if err := e.single(&f.single, values[key], depth+1); err != nil {
				return err
			}
		}
		e.line(depth)
		e.out = append(e.out, '}')
		return nil
	}
	return e.single(&f.single, v, depth)
}

// list writes n items.
func (e *encoder) list(n, depth int, item func(i int) error) error {
	e.out = append(e.out, '[')
	for i := range n {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.line(depth + 1)
		if err := item(i); err != nil {
			return err
		}
	}
	if n > 0 {
		e.line(depth)
	}
	e.out = append(e.out, ']')
	return nil
}

// single writes one value of a field.
func (e *encoder) single(f *single, v reflect.Value, depth int) error {
	switch f.kind {
	case protoreflect.StringKind:
		e.out = appendText(e.out, v.String())
	case protoreflect.BoolKind:
		e.out = strconv.AppendBool(e.out, v.Bool())
	case protoreflect.BytesKind:
		e.out = append(e.out, '"')
		e.out = base64.StdEncoding.AppendEncode(e.out, v.Bytes())
		e.out = append(e.out, '"')
	case protoreflect.EnumKind:
		if known := f.field.Enum().Values().ByNumber(protoreflect.EnumNumber(v.Int())); known != nil { //nolint:gosec // an enum has 32 bits
			e.out = appendText(e.out, string(known.Name()))
		} else {
			e.out = strconv.AppendInt(e.out, v.Int(), 10)
		}
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		e.out = strconv.AppendInt(e.out, v.Int(), 10)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		e.out = strconv.AppendUint(e.out, v.Uint(), 10)
	case protoreflect.DoubleKind, protoreflect.FloatKind:
		return e.float(v.Float(), f.kind == protoreflect.FloatKind)
	case protoreflect.MessageKind, protoreflect.GroupKind:
		if f.plan == nil {
			f.plan = e.plan(v)
		}
		return e.message(f.plan, v, 0, depth)
	}
	return nil
}

// float writes a number; those that JSON does not have are texts.
func (e *encoder) float(n float64, single bool) error {
	switch {
	case math.IsNaN(n):
		return e.plain("NaN", 0)
	case math.IsInf(n, 1):
		return e.plain("Infinity", 0)
	case math.IsInf(n, -1):
		return e.plain("-Infinity", 0)
	case single:
		n, _ = strconv.ParseFloat(strconv.FormatFloat(n, 'g', -1, 32), 64) // the digits that a single one has
	}
	if size := math.Abs(n); n == 0 || size >= 1e-6 && size < 1e21 { // otherwise with an exponent
		e.out = strconv.AppendFloat(e.out, n, 'f', -1, 64)
		return nil
	}
	return e.plain(n, 0)
}

// known writes a message of protobuf itself, which has a mapping of its own.
func (e *encoder) known(m proto.Message, depth int) error {
	if t, ok := m.(*timestamppb.Timestamp); ok && t.CheckValid() == nil {
		e.out = appendTime(e.out, t.AsTime())
		return nil
	}
	raw, err := protojson.Marshal(m)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return err
	}
	return e.plain(value, depth)
}

// plain writes any other value.
func (e *encoder) plain(value any, depth int) error {
	switch value := value.(type) {
	case string:
		e.out = appendText(e.out, value)
		return nil
	case encoded:
		return value(e)
	}
	var out bytes.Buffer
	if err := console.WriteValue(&out, value, e.indent); err != nil {
		return fmt.Errorf("encode output: %w", err)
	}
	for i, line := range bytes.Split(bytes.TrimRight(out.Bytes(), "\n"), []byte("\n")) {
		if i > 0 {
			e.line(depth)
		}
		e.out = append(e.out, line...)
	}
	return nil
}
