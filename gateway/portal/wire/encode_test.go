package wire

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden frames")

// full returns a message with a value in every field.
func full(m Message) Message {
	v := reflect.New(reflect.TypeOf(m)).Elem()
	fill(v)
	return v.Interface()
}

func fill(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[Raw]():
		v.SetBytes([]byte(`{"a":"<b>"}`))
	case v.Type() == reflect.TypeFor[[]byte]():
		v.SetBytes([]byte{1, 2, 250})
	case v.Type() == reflect.TypeFor[UUID]():
		v.SetString("0b0e8a10-0000-4000-8000-00000000000a")
	case v.Type() == reflect.TypeFor[Dialect]():
	default:
		fillKind(v)
	}
}

func fillKind(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.String:
		v.SetString("t")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.25)
	default:
		if v.CanInt() {
			v.SetInt(7)
		} else {
			v.SetUint(7)
		}
	}
}

// TestFrames compares the frames of all messages in all dialects, with every field and with none,
// with the golden ones, which were checked against the tables of the protocol.
func TestFrames(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, r := range table {
		for d := r.from; d <= r.to; d++ {
			for _, m := range []Message{full(r.message), r.message} {
				frame, err := Encode(d, r.route, m)
				if err != nil {
					t.Fatalf("%s %s: %v", d, r.name, err)
				}
				fmt.Fprintf(&b, "%s %s: %s\n", d, r.route, frame)
			}
		}
	}
	const golden = "testdata/frames.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
}

// A message that a dialect does not know is an error.
func TestForeignTypesAreErrors(t *testing.T) {
	t.Parallel()
	for _, r := range table {
		for _, d := range []Dialect{G1, G2, G3} {
			_, err := Encode(d, r.route, full(r.message))
			var refused *DialectError
			if in := r.from <= d && d <= r.to; in != (err == nil) || !in && !errors.As(err, &refused) || in != Knows(d, r.route, r.message) {
				t.Errorf("%s %s %s: %v", d, r.name, r.route, err)
			}
		}
	}
	for _, m := range []Message{ErrorMessage{}, HistoryBatch{}, Register{}, struct{}{}} {
		if _, err := Encode(G3, ToProxy, m); err == nil || Knows(G3, ToProxy, m) {
			t.Errorf("%T to a proxy", m)
		}
	}
}

// A proxy of G2 or G3 cannot read an answer to Register without max_image_mb.
func TestRegisterAckHasTheSizeOfImages(t *testing.T) {
	t.Parallel()
	for _, d := range []Dialect{G1, G2, G3} {
		frame, err := Encode(d, ToProxy, RegisterAck{})
		if err != nil || !strings.Contains(string(frame), `"max_image_mb":0`) {
			t.Errorf("%s: %s %v", d, frame, err)
		}
	}
}

// TestRoundTrip decodes encoded messages and compares them field by field.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, r := range table {
		m := full(r.message)
		if b, ok := m.(HistoryBatch); ok {
			b.Messages = nil // only in G2
			m = b
		}
		frame, err := Encode(r.to, r.route, m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(r.route, frame)
		if err != nil {
			t.Errorf("%s: %v", frame, err)
			continue
		}
		if g, ok := got.(Register); ok {
			g.Dialect = 0
			got = g
		}
		if r.to == G3 && !reflect.DeepEqual(got, m) {
			t.Errorf("%s\nis %#v", frame, got)
		}
	}
}

func TestRawThatIsNotJSON(t *testing.T) {
	t.Parallel()
	if frame, err := Encode(G1, ToPage, ClaudeOutput{Content: Raw(`{"a":`)}); err == nil {
		t.Errorf("written: %s", frame)
	}
	frame, err := Encode(G1, ToPage, ClaudeOutput{Content: Raw("{ \"a\" :\n 1 }")})
	if err != nil || string(frame) != `{"type":"ClaudeOutput","content":{"a":1}}` || !json.Valid(frame) {
		t.Errorf("%s %v", frame, err)
	}
}
