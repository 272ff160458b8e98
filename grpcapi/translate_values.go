package grpcapi

import (
	"bytes"
	"encoding/json"
	"math"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/grpcapi/wire"
	"betcode/messages"
)

// updatedIn returns the edited input of a decision as JSON. It must come with ALLOW_WITH_EDIT
// and with no other decision: else the tool would run with another input than intended.
func updatedIn(op string, d messages.Decision, input *structpb.Struct) ([]byte, error) {
	switch {
	case d != messages.AllowWithEdit && input != nil:
		return nil, wire.Invalid(op, "Decide ALLOW_WITH_EDIT, or leave updated_input out.", "updated_input comes with another decision")
	case d != messages.AllowWithEdit:
		return nil, nil
	case len(input.GetFields()) == 0:
		return nil, wire.Invalid(op, "Set updated_input to the tool's whole input.", "ALLOW_WITH_EDIT comes without updated_input")
	}
	return objectIn(op, "updated_input", input)
}

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

// structOut returns the JSON input of a tool as a Struct; a value that is not an object gets the
// key "value".
func structOut(raw []byte) *structpb.Struct {
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

// timeOut returns nil for the zero time.
func timeOut(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// saturate returns a count, or the greatest uint32.
func saturate(n uint64) uint32 {
	if n > math.MaxUint32 {
		return math.MaxUint32
	}
	return uint32(n)
}
