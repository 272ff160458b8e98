package console

import (
	"encoding/json"
	"io"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"betcode/messages/visible"
)

// MessageJSON returns m in the JSON mapping of protobuf, with the names of the
// .proto files and with empty lists instead of missing keys.
func MessageJSON(m proto.Message) (map[string]any, error) {
	raw, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(m)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, err
	}
	addEmptyLists(m.ProtoReflect(), out)
	return out, nil
}

// WriteValue writes v as JSON, on one line if indent is empty. Characters that are not seen, or turn others around, are escaped.
func WriteValue(w io.Writer, v any, indent string) error {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, visible.JSON(out.String()))
	return err
}
