package record

import (
	"crypto/sha256"
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"betcode/messages"
)

// Link is one link of a session's hash chain: half a SHA-256 of the previous link,
// the event's number and its bytes. The newest is in the session's cursor,
// so that an append need not search it, and a process that changes, removes or
// reorders earlier events, even with their checksums, breaks the chain. A
// chunk has the link of its last event: the division of events into chunks
// makes no difference.
//
// Before there were logs a link was of a chunk: of its key and its events as they
// are stored. Such links are in sealed files, and the next one follows from them
// as from any.
//
// The zero link means that there is none, as in files from before there were chains. The
// next link then begins a new chain.
type Link [16]byte

const (
	chunkChainTag = 2<<3 | byte(protowire.BytesType) // bytes chain = 2
	eventChainTag = 3<<3 | byte(protowire.BytesType) // bytes event_chain = 3

	chainBytes = 2 + len(Link{}) // of a link in a chunk
)

// After returns the link of an event behind l.
func (l Link) After(session uint64, seq messages.Seq, event []byte) Link {
	return l.hash(PairKey(session, uint64(seq)), event)
}

// AfterChunk returns the link of a chunk behind l, in the form from before there
// were logs. events is the result of [Unchain].
func (l Link) AfterChunk(key, events []byte) Link { return l.hash(key, events) }

func (l Link) hash(key, data []byte) (next Link) {
	h := sha256.New()
	h.Write(l[:])
	h.Write(key)
	h.Write(data)
	var sum [sha256.Size]byte
	copy(next[:], h.Sum(sum[:0]))
	return next
}

// Bytes returns the link as a field, empty for the zero link.
func (l Link) Bytes() []byte {
	if l == (Link{}) {
		return nil
	}
	return l[:]
}

// LoadLink is the inverse of Bytes. Bytes of another length are no link.
func LoadLink(b []byte) (l Link) {
	if len(b) == len(l) {
		copy(l[:], b)
	}
	return l
}

// Chained appends the link to the body of a chunk.
func (l Link) Chained(body []byte) []byte {
	return append(append(body, eventChainTag, byte(len(l))), l[:]...)
}

// Unchain splits the body of a chunk into its events, as they are stored, and
// its link, and reports whether the link is of the last event or of the chunk. A
// body that is no list of events is returned whole.
func Unchain(body []byte) (events []byte, l Link, byEvent bool) {
	rest := body
	for len(rest) > 0 {
		number, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return body, Link{}, false
		}
		m := protowire.ConsumeFieldValue(number, kind, rest[n:])
		if m < 0 {
			return body, Link{}, false
		}
		if (rest[0] == chunkChainTag || rest[0] == eventChainTag) && n == 1 {
			value, _ := protowire.ConsumeBytes(rest[n:])
			return body[:len(body)-len(rest)], LoadLink(value), rest[0] == eventChainTag
		}
		rest = rest[n+m:]
	}
	return body, Link{}, false
}

// ChainEvents is [encodeEvents] with links, and returns the last one.
func ChainEvents(number uint64, events []messages.Event, before Link) ([]Chunk, Link) {
	rows := encodeEvents(number, events)
	next := 0
	for i, r := range rows {
		for last := messages.Seq(binary.BigEndian.Uint64(r.Key[8:])); next < len(events) && events[next].Seq <= last; next++ {
			before = before.After(number, events[next].Seq, events[next].Bytes)
		}
		rows[i].Value = Stamp(r.Key, before.Chained(r.Value))
	}
	return rows, before
}
