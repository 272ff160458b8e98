package persistence

import (
	"crypto/sha256"
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"betcode/messages"
)

// link is one link of a session's hash chain: half a SHA-256 of the link before,
// of the event's number and of its bytes. The newest is in the session's cursor,
// so that an append need not look for it, and whoever changes, removes or
// reorders events of the past, checksums and all, does not match it any more. A
// chunk has the link of its last event: how events are put together in chunks
// makes no difference.
//
// Before there were logs a link was of a chunk, of its key and its events as they
// are stored. Such links are in sealed files, and the next one follows from them
// as from any.
//
// The zero link is none: what was written before there were chains has none. The
// next link then begins anew.
type link [16]byte

const (
	chunkChainTag = 2<<3 | byte(protowire.BytesType) // bytes chain = 2
	eventChainTag = 3<<3 | byte(protowire.BytesType) // bytes event_chain = 3

	chainBytes = 2 + len(link{}) // of a link in a chunk
)

// after returns the link of an event behind l.
func (l link) after(session uint64, seq messages.Seq, event []byte) link {
	return l.hash(pairKey(session, uint64(seq)), event)
}

// afterChunk returns the link of a chunk behind l, as it was made before there
// were logs. events is what [unchain] returns.
func (l link) afterChunk(key, events []byte) link { return l.hash(key, events) }

func (l link) hash(key, data []byte) (next link) {
	h := sha256.New()
	h.Write(l[:])
	h.Write(key)
	h.Write(data)
	var sum [sha256.Size]byte
	copy(next[:], h.Sum(sum[:0]))
	return next
}

// bytes returns the link as a field: none for the zero link.
func (l link) bytes() []byte {
	if l == (link{}) {
		return nil
	}
	return l[:]
}

// loadLink reads what bytes made. What is not of the right size is no link.
func loadLink(b []byte) (l link) {
	if len(b) == len(l) {
		copy(l[:], b)
	}
	return l
}

// chained appends the link to the body of a chunk.
func (l link) chained(body []byte) []byte {
	return append(append(body, eventChainTag, byte(len(l))), l[:]...)
}

// unchain splits the body of a chunk into its events, as they are stored, and
// its link, and reports whether that is of the last event or of the chunk. Of a
// body that is no list of events it returns all.
func unchain(body []byte) (events []byte, l link, byEvent bool) {
	rest := body
	for len(rest) > 0 {
		number, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return body, link{}, false
		}
		m := protowire.ConsumeFieldValue(number, kind, rest[n:])
		if m < 0 {
			return body, link{}, false
		}
		if (rest[0] == chunkChainTag || rest[0] == eventChainTag) && n == 1 {
			value, _ := protowire.ConsumeBytes(rest[n:])
			return body[:len(body)-len(rest)], loadLink(value), rest[0] == eventChainTag
		}
		rest = rest[n+m:]
	}
	return body, link{}, false
}

// chainEvents is [encodeEvents] with links, and returns the last one.
func chainEvents(number uint64, events []messages.Event, before link) ([]row, link) {
	rows := encodeEvents(number, events)
	next := 0
	for i, r := range rows {
		for last := messages.Seq(binary.BigEndian.Uint64(r.key[8:])); next < len(events) && events[next].Seq <= last; next++ {
			before = before.after(number, events[next].Seq, events[next].Bytes)
		}
		rows[i].value = stamp(r.key, before.chained(r.value))
	}
	return rows, before
}
