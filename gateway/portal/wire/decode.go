package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// MaxFrame bounds a frame, in bytes: a line of the agent with 20 MiB, and its envelope.
const MaxFrame = 20<<20 + 64<<10

// maxItems bounds the keys of an object and the values of a list, because a small value takes more
// memory than its bytes in the frame.
const maxItems = 10_000

// Unknown is a frame of a type that the route does not have. Receivers must ignore it.
type Unknown struct{ Type string }

// FrameError is why a frame is invalid. Its text may be shown to the peer.
type FrameError struct{ Why string }

// Error implements error.
func (e *FrameError) Error() string { return "Invalid message: " + e.Why }

func refuse(format string, args ...any) error { return &FrameError{fmt.Sprintf(format, args...)} }

// Decode decodes a text frame of a route. An unknown type gives [Unknown]; the error is a [FrameError].
func Decode(r Route, frame []byte) (Message, error) {
	if len(frame) > MaxFrame {
		return nil, refuse("the frame has more than %d MiB", MaxFrame>>20)
	}
	keys, err := read(frame)
	if err != nil {
		return nil, err
	}
	var name string
	if err := json.Unmarshal(keys["type"], &name); err != nil || name == "" {
		return nil, refuse("there is no 'type'")
	}
	t, ok := byName[decodeKey{r, name}]
	if !ok {
		return Unknown{name}, nil
	}
	value := reflect.New(reflect.TypeOf(t.message)).Elem()
	if err := keys.into(value); err != nil {
		return nil, err
	}
	if m, ok := value.Addr().Interface().(*Register); ok {
		m.Dialect = dialectOf(keys)
	}
	return value.Interface(), nil
}

// members maps the keys of an object to their values.
type members map[string]json.RawMessage

// read returns the members of an object. A duplicate key is an error, since readers differ in which one they use.
func read(raw []byte) (members, error) {
	if !json.Valid(raw) {
		return nil, refuse("not JSON")
	}
	in := json.NewDecoder(bytes.NewReader(raw))
	if first, err := in.Token(); err != nil || first != json.Delim('{') {
		return nil, refuse("not an object")
	}
	all := members{}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return nil, refuse("not JSON")
		}
		name, _ := key.(string)
		if len(all) == maxItems {
			return nil, refuse("an object has more than %d keys", maxItems)
		}
		if _, twice := all[name]; twice {
			return nil, refuse("'%.100s' is there twice", name)
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, refuse("not JSON")
		}
		all[name] = value
	}
	return all, nil
}

// into decodes the members into the fields of a struct.
func (m members) into(of reflect.Value) error {
	for _, f := range fieldsOf(of.Type()) {
		raw, ok := m[f.name]
		if null := string(raw) == "null"; !ok || null && of.Field(f.index).Type() != reflect.TypeFor[Raw]() {
			if f.optional {
				continue
			}
			if !ok {
				return refuse("'%s' is missing", f.name)
			}
		}
		if err := decodeValue(raw, of.Field(f.index)); err != nil {
			var inner *FrameError
			if errors.As(err, &inner) {
				return refuse("in '%s': %s", f.name, inner.Why)
			}
			return refuse("'%s' has the wrong type", f.name)
		}
	}
	return nil
}

func decodeValue(raw json.RawMessage, v reflect.Value) error {
	switch {
	case v.Type() == reflect.TypeFor[Raw]():
		v.SetBytes(bytes.Clone(raw))
		return nil
	case v.Type() == reflect.TypeFor[[]byte]():
		return json.Unmarshal(raw, v.Addr().Interface())
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return decodeValue(raw, v.Elem())
	case v.Kind() == reflect.Struct:
		keys, err := read(raw)
		if err != nil {
			return err
		}
		return keys.into(v)
	case v.Kind() == reflect.Slice:
		return decodeList(raw, v)
	}
	if string(raw) == "null" {
		return io.ErrUnexpectedEOF
	}
	return json.Unmarshal(raw, v.Addr().Interface())
}

func decodeList(raw json.RawMessage, v reflect.Value) error {
	in := json.NewDecoder(bytes.NewReader(raw))
	if first, err := in.Token(); err != nil || first != json.Delim('[') {
		return refuse("not a list")
	}
	list := reflect.MakeSlice(v.Type(), 0, 0)
	for in.More() {
		if list.Len() == maxItems {
			return refuse("a list has more than %d values", maxItems)
		}
		var each json.RawMessage
		if err := in.Decode(&each); err != nil {
			return err
		}
		item := reflect.New(v.Type().Elem()).Elem()
		if err := decodeValue(each, item); err != nil {
			return err
		}
		list = reflect.Append(list, item)
	}
	v.Set(list)
	return nil
}
