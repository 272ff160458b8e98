package wire

import (
	"encoding/json"
	"errors"
	"reflect"
)

// EncodeSuggestions returns suggestions as a JSON array.
func EncodeSuggestions(all []Suggestion) Raw {
	w := writer{dialect: G3}
	w.value(reflect.ValueOf(all))
	if w.err != nil {
		return nil // a rule is not JSON
	}
	return w.out.Bytes()
}

// DecodeSuggestions decodes a JSON array of suggestions. The error is a [FrameError].
func DecodeSuggestions(raw []byte) ([]Suggestion, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if !json.Valid(raw) {
		return nil, refuse("not JSON")
	}
	var all []Suggestion
	if err := decodeList(raw, reflect.ValueOf(&all).Elem()); err != nil {
		var inner *FrameError
		if errors.As(err, &inner) {
			return nil, err
		}
		return nil, refuse("a suggestion has the wrong type")
	}
	return all, nil
}
