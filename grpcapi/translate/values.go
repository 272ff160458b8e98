package translate

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/grpcapi/wire"
)

// objectIn returns an object as JSON.
func objectIn(op, field string, object *structpb.Struct) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(object.AsMap()); err != nil {
		return nil, wire.Invalid(op, "Use numbers that JSON has.", "%s is not JSON: %w", field, err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// StructOut returns the JSON input of a tool as a Struct; a value that is not an object gets the key "value".
func StructOut(raw []byte) *structpb.Struct {
	if len(raw) == 0 {
		return nil
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		value = string(bytes.ToValidUTF8(raw, []byte("?")))
	}
	fields, ok := value.(map[string]any)
	if !ok {
		fields = map[string]any{"value": value}
	}
	out, err := structpb.NewStruct(fields)
	if err != nil {
		return nil // NewStruct accepts every result of json.Unmarshal
	}
	return out
}

// TimeOut returns nil for the zero time.
func TimeOut(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// Saturate returns a count, or the greatest uint32.
func Saturate(n uint64) uint32 {
	if n > math.MaxUint32 {
		return math.MaxUint32
	}
	return uint32(n)
}

// TextOut returns text that may have any bytes, such as a path, as valid UTF-8.
func TextOut(s string) string { return strings.ToValidUTF8(s, "?") }

// Uint32Of returns n, or the nearest value that fits.
func Uint32Of(n int64) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }

// Int32Of returns n, or the largest int32.
func Int32Of(n uint32) int32 { return int32(min(n, 1<<31-1)) } //nolint:gosec // it fits
