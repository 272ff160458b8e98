package record

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"

	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// fill gives every field a value of its own, so that none can be forgotten or
// exchanged for another. It knows the kinds that records are made of.
func fill(t *testing.T, r *rand.Rand, v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(r.Int64N(1<<33), r.Int64N(1e9)).UTC()))
		return
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(t, r, v.Field(i))
		}
		return
	case v.CanInt():
		v.SetInt(r.Int64() >> (64 - v.Type().Bits()))
		return
	case v.CanUint():
		v.SetUint(r.Uint64() >> (64 - v.Type().Bits()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(string([]byte{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32())}))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(r.Float64())
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, r, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range 3 {
			fill(t, r, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 3 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(t, r, key)
			fill(t, r, value)
			v.SetMapIndex(key, value)
		}
	default:
		t.Fatalf("a record has a %s: teach the test", v.Type())
	}
}

// filled returns a T with no field left empty.
func filled[T any](t *testing.T, r *rand.Rand) *T {
	v := new(T)
	fill(t, r, reflect.ValueOf(v).Elem())
	return v
}

// through encodes and decodes a record, as the journal does.
func through[M Record](t *testing.T, from M, into M) M {
	t.Helper()
	key := []byte("key")
	value, err := Encode(key, from, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := Decode("test", BucketRuns, key, value, into); err != nil {
		t.Fatal(err)
	}
	return into
}

func TestRecordsAreStoredWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		session := filled[messages.SessionRecord](t, r)
		wantEqual(t, "session", LoadSession(session.ID, session.Head, through(t, StoreSession(session), &storev1.Session{})), *session)
		cursor := filled[messages.Cursor](t, r)
		wantEqual(t, "cursor", LoadCursor(through(t, StoreCursor(Position{Head: 1, Base: 2}, cursor), &storev1.Cursor{})), *cursor)
		run := filled[messages.RunRecord](t, r)
		wantEqual(t, "run", LoadRun(run.Session, run.Run, through(t, StoreRun(run), &storev1.Run{})), run)
		input := filled[messages.InputRecord](t, r)
		wantEqual(t, "input", LoadInput(input.Key, through(t, StoreInput(input), &storev1.Input{}),
			through(t, StoreBody(input), &storev1.Body{})), *input)
		permission := filled[messages.PermissionRecord](t, r)
		wantEqual(t, "permission", LoadPermission(permission.Session, string(permission.Request),
			through(t, StorePermission(permission), &storev1.Permission{})), *permission)
	}
	for _, empty := range []any{
		LoadSession("", 0, through(t, StoreSession(&messages.SessionRecord{}), &storev1.Session{})),
		*LoadRun("", 0, through(t, StoreRun(&messages.RunRecord{}), &storev1.Run{})),
		LoadPermission("", "", through(t, StorePermission(&messages.PermissionRecord{}), &storev1.Permission{})),
	} {
		if !reflect.ValueOf(empty).IsZero() {
			t.Errorf("an empty record is not: %+v", empty)
		}
	}
}

func TestStamp(t *testing.T) {
	key, body := []byte("key"), []byte("the body of a value")
	value := Stamp(key, bytes.Clone(body))
	got, err := Unstamp(key, value)
	if err != nil || !bytes.Equal(got, body) {
		t.Fatalf("%q, %v", got, err)
	}
	if _, err := Unstamp([]byte("kez"), value); err == nil {
		t.Error("a value under a wrong key passes")
	}
	for i := range len(value) * 8 {
		bad := bytes.Clone(value)
		bad[i/8] ^= 1 << (i % 8)
		if _, err := Unstamp(key, bad); err == nil {
			t.Errorf("bit %d may be flipped", i)
		}
	}
	for n := range value {
		if _, err := Unstamp(key, value[:n]); err == nil {
			t.Errorf("the value may be cut to %d bytes", n)
		}
	}
}

// Reading a file with any content does not panic; and what can be read can be written and
// read again.
func FuzzRecord(f *testing.F) {
	key := []byte("a key of some length")
	kinds := []func() Record{
		func() Record { return &storev1.Identity{} },
		func() Record { return &storev1.Session{} },
		func() Record { return &storev1.Cursor{} },
		func() Record { return &storev1.Run{} },
		func() Record { return &storev1.Input{} },
		func() Record { return &storev1.Body{} },
		func() Record { return &storev1.Permission{} },
		func() Record { return &storev1.Key{} },
	}
	for _, m := range []proto.Message{
		StoreSession(&messages.SessionRecord{Name: "n", Metadata: map[string]string{"a": "b"}, UpdatedAt: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}),
		StoreRun(&messages.RunRecord{Argv: []string{"x"}, Exit: messages.Exit{Known: true, At: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}}),
		StorePermission(&messages.PermissionRecord{Answers: map[string]string{"q": "a"}}),
		&storev1.Chunk{Events: [][]byte{{1}, {2}}},
	} {
		body, _ := proto.Marshal(m)
		f.Add(body, uint8(1))
	}
	f.Fuzz(func(t *testing.T, body []byte, kind uint8) {
		Unstamp(key, body)
		HasEnded(key, Stamp(key, bytes.Clone(body)))
		if events, err := DecodeChunk(body); err == nil && len(events) == 0 {
			t.Error("an empty chunk passes")
		}
		blank := kinds[int(kind)%len(kinds)]
		value, first := Stamp(key, bytes.Clone(body)), blank()
		if Decode("fuzz", BucketRuns, key, value, first) != nil {
			return
		}
		LoadSession("", 0, &storev1.Session{Usage: &storev1.Usage{}})
		switch r := first.(type) {
		case *storev1.Session:
			StoreSession(new(LoadSession("", 0, r)))
		case *storev1.Run:
			StoreRun(LoadRun("", 0, r))
		case *storev1.Permission:
			StorePermission(new(LoadPermission("", "", r)))
		}
		rewritten, err := Encode(key, first, value)
		if err != nil {
			t.Fatalf("encode again: %v", err)
		}
		second := blank()
		if err := Decode("fuzz", BucketRuns, key, rewritten, second); err != nil {
			t.Fatalf("decode again: %v", err)
		}
	})
}

// wantEqual compares as the journal promises: an empty slice is nil, a time is a moment.
func wantEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	wholeBytes := cmp.FilterValues(func(a, b []byte) bool { return len(a)+len(b) > 0 }, cmp.Comparer(bytes.Equal))
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), wholeBytes); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// eventsAfter makes n events that follow a number.
func eventsAfter(after messages.Seq, n int) []messages.Event {
	list := make([]messages.Event, n)
	for i := range list {
		seq := after + messages.Seq(i) + 1
		list[i] = messages.Event{Seq: seq, Bytes: fmt.Appendf(nil, "event %d of a session, with some bytes to it", seq)}
	}
	return list
}
