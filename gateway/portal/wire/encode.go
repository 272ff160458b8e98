package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
)

// DialectError is the error for a message that a dialect does not have on a route.
type DialectError struct {
	Type    string
	Route   Route
	Dialect Dialect
}

// Error implements error.
func (e *DialectError) Error() string {
	return fmt.Sprintf("encode portal message: %s has no %s %s", e.Dialect, e.Type, e.Route)
}

// Knows reports whether a dialect has a message on a route.
func Knows(d Dialect, r Route, m Message) bool {
	t, ok := byType[encodeKey{r, reflect.TypeOf(m)}]
	return ok && t.from <= d && d <= t.to
}

// Encode returns the frame of a message for a peer of a dialect. It returns a [DialectError], or an
// error for a [Raw] value that is not JSON.
func Encode(d Dialect, r Route, m Message) ([]byte, error) {
	value := reflect.ValueOf(m)
	t, ok := byType[encodeKey{r, value.Type()}]
	if !ok {
		return nil, &DialectError{value.Type().Name(), r, d}
	}
	if !Knows(d, r, m) {
		return nil, &DialectError{t.name, r, d}
	}
	w := writer{dialect: d}
	w.out.WriteString(`{"type":"` + t.name + `"`)
	w.members(value, true)
	w.out.WriteByte('}')
	return w.out.Bytes(), w.err
}

type writer struct {
	dialect Dialect
	out     bytes.Buffer
	err     error
}

// members writes the fields of a struct. more is set if members precede them.
func (w *writer) members(of reflect.Value, more bool) {
	for _, f := range fieldsOf(of.Type()) {
		v := of.Field(f.index)
		if w.dialect < f.from || w.dialect > f.to || f.omit && empty(v) {
			continue
		}
		if more {
			w.out.WriteByte(',')
		}
		more = true
		w.out.WriteString(`"` + f.name + `":`)
		w.value(v)
	}
}

func empty(v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	return v.IsZero()
}

func (w *writer) value(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[Raw]():
		w.raw(v.Bytes())
	case v.Type() == reflect.TypeFor[[]byte]():
		w.json(base64.StdEncoding.EncodeToString(v.Bytes()))
	case v.Kind() == reflect.Slice:
		w.out.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				w.out.WriteByte(',')
			}
			w.value(v.Index(i))
		}
		w.out.WriteByte(']')
	case v.Kind() == reflect.Struct:
		w.out.WriteByte('{')
		w.members(v, false)
		w.out.WriteByte('}')
	case v.Kind() == reflect.Pointer && !v.IsNil():
		w.value(v.Elem())
	default:
		w.json(v.Interface())
	}
}

func (w *writer) raw(value []byte) {
	if len(value) == 0 {
		w.out.WriteString("null")
		return
	}
	if err := json.Compact(&w.out, value); err != nil && w.err == nil {
		w.err = fmt.Errorf("encode portal message: %w", err)
	}
}

// json writes a scalar, without escaping characters of HTML.
func (w *writer) json(value any) {
	e := json.NewEncoder(&w.out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		w.err = fmt.Errorf("encode portal message: %w", err) // NaN
		return
	}
	w.out.Truncate(w.out.Len() - 1) // the end of the line
}
