package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
)

// maxDepth is the depth of arguments below which the rest is shown as JSON text: several
// protobuf decoders stop at 100 nested messages, and an object takes
// three.
const maxDepth = 24

// decodeInput decodes the arguments of a tool call. A value that cannot be represented
// (a number beyond float64) becomes null.
func decodeInput(raw []byte) any {
	var v any
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, &v) // after an error v has the members that could be read
	}
	return v
}

// toStruct turns arguments into a Struct that fits into an event, and reports
// whether it is whole. Long strings are cut first, all to the same length; if
// that is not enough only the size is given. Arguments that are not an object are
// put into one.
func toStruct(v any, size int) (*structpb.Struct, bool) {
	m, ok := v.(map[string]any)
	switch {
	case v == nil:
		return nil, true
	case !ok:
		m = map[string]any{"value": v}
	}
	for longest := maxInput; longest >= 256; longest /= 4 {
		if cost := (sizing{longest, maxInput}); cost.value(m, 0) {
			f := fitting{longest: longest, whole: true}
			return f.object(m, 0), f.whole
		}
	}
	return &structpb.Struct{Fields: map[string]*structpb.Value{
		"…": structpb.NewStringValue(fmt.Sprintf("%d bytes, too large to show", size)),
	}}, false
}

// sizing adds up an upper bound of an encoding, and stops when it is exceeded.
type sizing struct{ longest, left int }

const entrySize = 32 // tags and lengths around one value

func (s *sizing) value(v any, depth int) bool {
	s.left -= entrySize
	switch v := v.(type) {
	case string:
		s.left -= min(len(v), s.longest)
	case map[string]any:
		if depth >= maxDepth {
			s.left -= min(len(jsonText(v)), s.longest)
			break
		}
		for k, e := range v {
			s.left -= min(len(k), maxID)
			if s.left < 0 || !s.value(e, depth+1) {
				return false
			}
		}
	case []any:
		if depth >= maxDepth {
			s.left -= min(len(jsonText(v)), s.longest)
			break
		}
		for _, e := range v {
			if s.left < 0 || !s.value(e, depth+1) {
				return false
			}
		}
	}
	return s.left >= 0
}

type fitting struct {
	longest int
	whole   bool
}

func (f *fitting) object(m map[string]any, depth int) *structpb.Struct {
	fields := make(map[string]*structpb.Value, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) { // of two keys that are cut alike, the first in order wins
		f.whole = f.whole && len(k) <= maxID
		fields[short(k)] = f.value(m[k], depth+1)
	}
	return &structpb.Struct{Fields: fields}
}

func (f *fitting) value(v any, depth int) *structpb.Value {
	switch v := v.(type) {
	case bool:
		return structpb.NewBoolValue(v)
	case float64:
		return structpb.NewNumberValue(v)
	case string:
		return structpb.NewStringValue(f.text(v))
	case map[string]any:
		if depth >= maxDepth {
			return structpb.NewStringValue(f.text(jsonText(v)))
		}
		return structpb.NewStructValue(f.object(v, depth))
	case []any:
		if depth >= maxDepth {
			return structpb.NewStringValue(f.text(jsonText(v)))
		}
		list := make([]*structpb.Value, len(v))
		for i, e := range v {
			list[i] = f.value(e, depth+1)
		}
		return structpb.NewListValue(&structpb.ListValue{Values: list})
	}
	return structpb.NewNullValue()
}

func (f *fitting) text(s string) string {
	if len(s) <= f.longest {
		return s
	}
	f.whole = false
	mark := fmt.Sprintf("…[%d bytes]", len(s))
	return cut(s, f.longest-len(mark)) + mark
}

// jsonText encodes a value from json.Unmarshal.
func jsonText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
