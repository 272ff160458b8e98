package record

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"

	"betcode/messages"
)

const (
	// ChunkBytes is the size above which events are divided into several chunks; an
	// event alone may be larger. Two such chunks, the least that bbolt puts into a
	// page, fill four of the system's pages. The figures are in the package comment.
	ChunkBytes = 8<<10 - 80

	eventTag = 1<<3 | byte(protowire.BytesType) // repeated bytes events = 1
)

// Chunk is one key and value of the bucket of events.
type Chunk struct{ Key, Value []byte }

// encodeEvents returns the chunks for consecutive events of one append, with
// values without link and checksum. The key of a chunk is the number of its last
// event, so that seeking a number finds the chunk with that event.
func encodeEvents(number uint64, events []messages.Event) []Chunk {
	var rows []Chunk
	var body []byte
	for i, e := range events {
		if body == nil {
			body = make([]byte, 0, min(ChunkBytes, bodyBytes(events[i:]))+chainBytes+ChecksumBytes)
		}
		body = append(body, eventTag)
		body = protowire.AppendBytes(body, e.Bytes)
		if i+1 == len(events) || len(body)+eventBytes(events[i+1]) > ChunkBytes-chainBytes {
			key := PairKey(number, uint64(e.Seq))
			rows = append(rows, Chunk{key, body})
			body = nil
		}
	}
	return rows
}

func eventBytes(e messages.Event) int { return 1 + protowire.SizeBytes(len(e.Bytes)) }

func bodyBytes(events []messages.Event) (n int) {
	for _, e := range events {
		if n += eventBytes(e); n >= ChunkBytes {
			break
		}
	}
	return n
}

// ErrChunk reports a value that should be a chunk and is none.
var ErrChunk = errors.New("chunk is not a list of events")

// DecodeChunk returns the events of a chunk, as parts of body. It skips fields of a
// newer build.
func DecodeChunk(body []byte) ([][]byte, error) {
	var events [][]byte
	for len(body) > 0 {
		number, kind, n := protowire.ConsumeTag(body)
		if n < 0 {
			return nil, ErrChunk
		}
		body = body[n:]
		if number == 1 && kind == protowire.BytesType {
			event, n := protowire.ConsumeBytes(body)
			if n < 0 {
				return nil, ErrChunk
			}
			events, body = append(events, event[:len(event):len(event)]), body[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(number, kind, body); n < 0 {
			return nil, ErrChunk
		}
		body = body[n:]
	}
	if len(events) == 0 {
		return nil, ErrChunk
	}
	return events, nil
}
