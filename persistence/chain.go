package persistence

import (
	"crypto/sha256"

	"google.golang.org/protobuf/encoding/protowire"

	"betcode/messages"
)

// link is one link of a session's hash chain: half a SHA-256 of the link before,
// of the chunk's key and of its events. The newest is in the session's cursor,
// so that an append need not look for it, and whoever changes, removes or
// reorders chunks of the past, checksums and all, does not match it any more.
//
// The zero link is none: what was written before there were chains has none, and
// neither has what an older build appends. The next link then begins anew.
type link [16]byte

// chainTag is the tag of Chunk.chain: bytes chain = 2.
const chainTag = 2<<3 | byte(protowire.BytesType)

const chainBytes = 2 + len(link{}) // of a link in a chunk

// after returns the link of a chunk behind l. events is what [eventsOf] returns.
func (l link) after(key, events []byte) (next link) {
	h := sha256.New()
	h.Write(l[:])
	h.Write(key)
	h.Write(events)
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
	return append(append(body, chainTag, byte(len(l))), l[:]...)
}

// unchain splits the body of a chunk into its events, as they are stored, and
// its link. Of a body that is no list of events it returns all.
func unchain(body []byte) (events []byte, l link) {
	rest := body
	for len(rest) > 0 {
		number, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return body, link{}
		}
		m := protowire.ConsumeFieldValue(number, kind, rest[n:])
		if m < 0 {
			return body, link{}
		}
		if number == 2 && kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(rest[n:])
			return body[:len(body)-len(rest)], loadLink(value)
		}
		rest = rest[n+m:]
	}
	return body, link{}
}

// chainEvents is [encodeEvents] with links, and returns the last one.
func chainEvents(number uint64, events []messages.Event, before link) ([]row, link) {
	rows := encodeEvents(number, events)
	for i, r := range rows {
		before = before.after(r.key, r.value)
		rows[i].value = stamp(r.key, before.chained(r.value))
	}
	return rows, before
}
