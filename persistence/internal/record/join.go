package record

import "google.golang.org/protobuf/encoding/protowire"

// Joiner joins the chunks of single appends to fewer, larger ones. That changes neither
// their events nor the hash chain, which is one of events. Chunks with a gap between
// them stay apart, since events have their numbers from the last one of their chunk.
type Joiner struct {
	Put    func(key, value []byte) error
	number uint64 // of the session whose chunks are being joined
	key    []byte // of the newest chunk; nil = there is none
	value  []byte // of the newest chunk, as long as it is alone
	events []byte // of all chunks
	chain  Link   // of the newest chunk
}

// Add adds the next chunk. Chunks come in order.
func (j *Joiner) Add(key, value []byte) error {
	number, _ := NumberOf(key)
	body, err := Unstamp(key, value)
	stored, chain, byEvent := Unchain(body)
	if err != nil || !byEvent {
		if err := j.Flush(); err != nil {
			return err
		}
		return j.Put(key, value) // unchanged: a damaged chunk must not be lost here
	}
	if j.key != nil && (j.number != number || !follows(j.key, key, stored) || len(j.events)+len(stored) > ChunkBytes-chainBytes) {
		if err := j.Flush(); err != nil {
			return err
		}
	}
	if j.key == nil {
		j.value, j.events = value, stored
	} else {
		if j.value != nil {
			j.value, j.events = nil, append(make([]byte, 0, ChunkBytes+ChecksumBytes), j.events...)
		}
		j.events = append(j.events, stored...)
	}
	j.number, j.key, j.chain = number, key, chain
	return nil
}

// Flush puts the joined chunk that was not put yet.
func (j *Joiner) Flush() error {
	if j.key == nil {
		return nil
	}
	key, value := j.key, j.value
	if value == nil {
		value = Stamp(key, j.chain.Chained(j.events))
	}
	*j = Joiner{Put: j.Put}
	return j.Put(key, value)
}

// follows reports whether the events of a chunk directly follow those of another one of
// the session.
func follows(before, key, events []byte) bool {
	from, ok := SecondOf(before)
	to, known := SecondOf(key)
	for ; len(events) > 0; from++ {
		n := protowire.ConsumeFieldValue(1, protowire.BytesType, events[1:])
		if n < 0 {
			return false
		}
		events = events[1+n:]
	}
	return ok && known && from == to
}
