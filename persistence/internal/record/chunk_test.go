package record

import (
	"bytes"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

func TestChunksAreProtobuf(t *testing.T) {
	list := eventsAfter(41, 30)
	list[7].Bytes, list[8].Bytes = make([]byte, 5000), nil
	var got []messages.Event
	next := messages.Seq(42)
	rows, _ := ChainEvents(3, list, Link{})
	for _, c := range rows {
		body, err := Unstamp(c.Key, c.Value)
		if err != nil {
			t.Fatal(err)
		}
		var whole, chunk storev1.Chunk
		if err := proto.Unmarshal(c.Value, &whole); err != nil || whole.GetChecksum() != checksum(c.Key, body) {
			t.Errorf("value is not a Chunk: %v", err)
		}
		if err := proto.Unmarshal(body, &chunk); err != nil {
			t.Fatal(err)
		}
		if len(body) > ChunkBytes && len(chunk.GetEvents()) > 1 {
			t.Errorf("a chunk of %d events has %d bytes", len(chunk.GetEvents()), len(body))
		}
		for _, e := range chunk.GetEvents() {
			got = append(got, messages.Event{Seq: next, Bytes: e})
			next++
		}
		if last, _ := SecondOf(c.Key); last != uint64(next-1) {
			t.Errorf("key %d, last event %d", last, next-1)
		}
	}
	wantEqual(t, "events", got, list)
}

func TestUnchain(t *testing.T) {
	key := PairKey(3, 5)
	rows, last := ChainEvents(3, eventsAfter(2, 3), Link{1})
	if len(rows) != 1 || !bytes.Equal(rows[0].Key, key) {
		t.Fatalf("rows %v", rows)
	}
	body, _ := Unstamp(key, rows[0].Value)
	stored, l, byEvent := Unchain(body)
	want := Link{1}
	for _, e := range eventsAfter(2, 3) {
		want = want.After(3, e.Seq, e.Bytes)
	}
	if l != last || l != want || !byEvent || len(stored)+chainBytes != len(body) {
		t.Errorf("link %x of %x", l, last)
	}
	for n := range body { // cut anywhere it does not panic
		Unchain(body[:n])
	}
	if _, l, _ := Unchain([]byte(strings.Repeat("\xff", 30))); l != (Link{}) {
		t.Error("a link out of nothing")
	}
}
