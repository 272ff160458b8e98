package search

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/record"
)

// The buckets of the file. Numbers in keys are big-endian, and every value ends in a checksum of its key and itself.
//
//	index      "index"               → description
//	sessions   place                 → id of the session, and its mark
//	tools      place                 → name of a tool
//	segments   segment               → segment
//	words      segment, last word    → block of words with their documents, see package table
//	documents  segment, block        → block of documents, of fixed size
var (
	bucketIndex     = []byte("index")
	bucketSessions  = []byte("sessions")
	bucketTools     = []byte("tools")
	bucketSegments  = []byte("segments")
	bucketWords     = []byte("words")
	bucketDocuments = []byte("documents")

	buckets = [][]byte{bucketIndex, bucketSessions, bucketTools, bucketSegments, bucketWords, bucketDocuments}

	keyIndex = []byte("index")
)

// format is the version of the stored form. An index of another version is rebuilt.
const format = 1

// description identifies the file.
type description struct {
	Format  int       `json:"format"`
	Lineage string    `json:"lineage"` // of the journal
	Next    uint32    `json:"next"`    // number of the next segment
	Dropped time.Time `json:"dropped,omitzero"`
}

// segment is a group of documents that were written together. It never changes.
type segment struct {
	number uint32

	Docs   uint32 `json:"docs"`
	Words  int    `json:"words"` // number of blocks of words
	Bytes  int64  `json:"bytes"`
	Newest int64  `json:"newest"` // time of its newest document, in milliseconds
}

// mark is the position up to which a session is indexed.
type mark struct {
	head messages.Seq // events up to this one are indexed
	from messages.Seq // the first event that the documents after head need; 0 = none before
}

var errRow = errors.New("row is damaged")

// numberKey is the key of a row that has a number and maybe a part.
func numberKey(number uint32, part ...byte) []byte {
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(part)), number), part...)
}

// put stores a row.
func put(tx *boltfile.Tx, bucket, key, body []byte) error {
	return tx.PutDense(bucket, key, record.Stamp(key, body))
}

// read returns the body of a row; nil if there is none.
func read(tx *boltfile.Tx, bucket, key []byte) ([]byte, error) {
	value := tx.Get(bucket, key)
	if value == nil {
		return nil, nil
	}
	return unstamp(bucket, key, value)
}

func unstamp(bucket, key, value []byte) ([]byte, error) {
	body, err := record.Unstamp(key, value)
	if err != nil {
		return nil, damaged(bucket, key, err)
	}
	return body, nil
}

func damaged(bucket, key []byte, cause error) error {
	return fault.DamagedFile(opSearch, FileName, fmt.Errorf("%s %x: %w", bucket, key, cause))
}

// putJSON and readJSON store small and rare values.
func putJSON(tx *boltfile.Tx, bucket, key []byte, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return put(tx, bucket, key, body)
}

func readJSON(tx *boltfile.Tx, bucket, key []byte, value any) error {
	body, err := read(tx, bucket, key)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, value); err != nil {
		return damaged(bucket, key, errRow)
	}
	return nil
}

// segments returns the segments of the file, the oldest first.
func segments(tx *boltfile.Tx) ([]*segment, error) {
	var all []*segment
	err := tx.Each(bucketSegments, func(key, _ []byte) error {
		s := &segment{}
		if len(key) != 4 {
			return damaged(bucketSegments, key, errRow)
		}
		s.number = binary.BigEndian.Uint32(key)
		all = append(all, s)
		return readJSON(tx, bucketSegments, key, s)
	})
	return all, err
}

// sessionRow is the form of a session's row.
func sessionRow(id messages.SessionID, m mark) []byte {
	body := binary.AppendUvarint(nil, uint64(m.head))
	body = binary.AppendUvarint(body, uint64(m.from))
	return append(body, id...)
}

func parseSession(body []byte) (id messages.SessionID, m mark, ok bool) {
	head, n := binary.Uvarint(body)
	if n <= 0 {
		return "", m, false
	}
	from, k := binary.Uvarint(body[n:])
	if k <= 0 {
		return "", m, false
	}
	return messages.SessionID(body[n+k:]), mark{messages.Seq(head), messages.Seq(from)}, true
}
