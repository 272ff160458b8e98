package persistence

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
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
func through[M record](t *testing.T, from M, into M) M {
	t.Helper()
	key := []byte("key")
	value, err := encode(key, from, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := decode("test", bucketRuns, key, value, into); err != nil {
		t.Fatal(err)
	}
	return into
}

func TestRecordsAreStoredWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		session := filled[messages.SessionRecord](t, r)
		same(t, "session", loadSession(session.ID, session.Head, through(t, storeSession(session), &storev1.Session{})), *session)
		cursor := filled[messages.Cursor](t, r)
		same(t, "cursor", loadCursor(through(t, storeCursor(&entry{head: 1, base: 2}, cursor), &storev1.Cursor{})), *cursor)
		run := filled[messages.RunRecord](t, r)
		same(t, "run", loadRun(run.Session, run.Run, through(t, storeRun(run), &storev1.Run{})), run)
		input := filled[messages.InputRecord](t, r)
		same(t, "input", loadInput(input.Key, through(t, storeInput(input), &storev1.Input{}),
			through(t, storeBody(input), &storev1.Body{})), *input)
		permission := filled[messages.PermissionRecord](t, r)
		same(t, "permission", loadPermission(permission.Session, string(permission.Request),
			through(t, storePermission(permission), &storev1.Permission{})), *permission)
	}
	for _, empty := range []any{
		loadSession("", 0, through(t, storeSession(&messages.SessionRecord{}), &storev1.Session{})),
		*loadRun("", 0, through(t, storeRun(&messages.RunRecord{}), &storev1.Run{})),
		loadPermission("", "", through(t, storePermission(&messages.PermissionRecord{}), &storev1.Permission{})),
	} {
		if !reflect.ValueOf(empty).IsZero() {
			t.Errorf("an empty record is not: %+v", empty)
		}
	}
}

// What a newer build knows of a record survives being rewritten by this one.
func TestUnknownFieldsSurvive(t *testing.T) {
	f := newFixture(t)
	f.commit(full(sid(1), 0))
	news := protowire.AppendString(protowire.AppendTag(nil, 900, protowire.BytesType), "news")
	keys := map[string][]byte{
		"sessions": rowKey(1, rowSession), "runs": pairKey(1, 1), "inputs": under(1, "one"),
		"bodies": under(1, "one"), "permissions": under(1, "p1"), "keys": under(1, "idem"),
	}
	for bucket, key := range keys {
		f.change(bucket, key, func(value []byte) []byte {
			body, _ := unstamp(key, value)
			return stamp(key, append(bytes.Clone(body), news...))
		})
	}
	again := full(sid(1), 3)
	again.Cursor.Offset, again.SpoolFrom = 200, 100
	again.Inputs[1].Content = "changed"
	f.commit(again)
	f.seal()
	for bucket, key := range keys {
		if value := f.raw(bucket, key); !bytes.Contains(value, news) {
			t.Errorf("%s: the news is gone", bucket)
		}
	}
	if got := f.load(sid(1)).Inputs; len(got) != 2 || got[0].Content != "changed" {
		t.Errorf("inputs: %+v", got)
	}
}

func TestRecordOfANewerVersion(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(full(sid(1), 0))
	key := pairKey(1, 1)
	f.change("runs", key, func([]byte) []byte {
		value, _ := encode(key, &storev1.Run{Version: recordVersion + 1}, nil)
		return value
	})
	_, err := f.store.Load(sid(1))
	wantKind(t, "load", err, messages.Unimplemented)
	if e := asError(err); !strings.Contains(e.Error(), "runs/1/1") || e.Hint != hintNewer {
		t.Errorf("it says %q, hint %q", e.Error(), e.Hint)
	}
}

func TestStamp(t *testing.T) {
	key, body := []byte("key"), []byte("the body of a value")
	value := stamp(key, bytes.Clone(body))
	got, err := unstamp(key, value)
	if err != nil || !bytes.Equal(got, body) {
		t.Fatalf("%q, %v", got, err)
	}
	if _, err := unstamp([]byte("kez"), value); err == nil {
		t.Error("a value under a wrong key passes")
	}
	for i := range len(value) * 8 {
		bad := bytes.Clone(value)
		bad[i/8] ^= 1 << (i % 8)
		if _, err := unstamp(key, bad); err == nil {
			t.Errorf("bit %d may be flipped", i)
		}
	}
	for n := range value {
		if _, err := unstamp(key, value[:n]); err == nil {
			t.Errorf("the value may be cut to %d bytes", n)
		}
	}
}

// Whatever is in a file, reading it does not panic; and what can be read can be
// written and read again.
func FuzzRecord(f *testing.F) {
	key := []byte("a key of some length")
	kinds := []func() record{
		func() record { return &storev1.Identity{} },
		func() record { return &storev1.Session{} },
		func() record { return &storev1.Cursor{} },
		func() record { return &storev1.Run{} },
		func() record { return &storev1.Input{} },
		func() record { return &storev1.Body{} },
		func() record { return &storev1.Permission{} },
		func() record { return &storev1.Key{} },
	}
	for _, m := range []proto.Message{
		storeSession(&messages.SessionRecord{Name: "n", Metadata: map[string]string{"a": "b"}, UpdatedAt: epoch}),
		storeRun(&messages.RunRecord{Argv: []string{"x"}, Exit: messages.Exit{Known: true, At: epoch}}),
		storePermission(&messages.PermissionRecord{Answers: map[string]string{"q": "a"}}),
		&storev1.Chunk{Events: [][]byte{{1}, {2}}},
	} {
		body, _ := proto.Marshal(m)
		f.Add(body, uint8(1))
	}
	f.Fuzz(func(t *testing.T, body []byte, kind uint8) {
		unstamp(key, body)
		hasEnded(key, stamp(key, bytes.Clone(body)))
		if events, err := decodeChunk(body); err == nil && len(events) == 0 {
			t.Error("an empty chunk passes")
		}
		blank := kinds[int(kind)%len(kinds)]
		value, first := stamp(key, bytes.Clone(body)), blank()
		if decode("fuzz", bucketRuns, key, value, first) != nil {
			return
		}
		loadSession("", 0, &storev1.Session{Usage: &storev1.Usage{}})
		switch r := first.(type) {
		case *storev1.Session:
			storeSession(new(loadSession("", 0, r)))
		case *storev1.Run:
			storeRun(loadRun("", 0, r))
		case *storev1.Permission:
			storePermission(new(loadPermission("", "", r)))
		}
		rewritten, err := encode(key, first, value)
		if err != nil {
			t.Fatalf("encode again: %v", err)
		}
		second := blank()
		if err := decode("fuzz", bucketRuns, key, rewritten, second); err != nil {
			t.Fatalf("decode again: %v", err)
		}
	})
}
