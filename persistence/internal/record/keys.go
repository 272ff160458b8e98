package record

import (
	"encoding/binary"
	"fmt"
)

// The buckets of a journal file. All but meta and ids have keys that begin with
// the number of a session.
var (
	BucketMeta        = []byte("meta")        // "file" → File, "checkpoint" → Checkpoint
	BucketIDs         = []byte("ids")         // session id → Identity
	BucketSessions    = []byte("sessions")    // number, row → Session or Cursor
	BucketRuns        = []byte("runs")        // number, run → Run
	BucketInputs      = []byte("inputs")      // number, key of the input → Input
	BucketBodies      = []byte("bodies")      // the same key → Body
	BucketPermissions = []byte("permissions") // number, request id → Permission
	BucketKeys        = []byte("keys")        // number, idempotency key → Key
	BucketEvents      = []byte("events")      // number, number of the last event → Chunk

	// BucketPayloads is not one of Buckets: older files do not have it, and no log
	// has rows of it.
	BucketPayloads = []byte("payloads") // SHA-256, row that refers to it → Payload
)

var (
	// Buckets are all buckets of a file. Their order is part of the form of a log.
	Buckets = [][]byte{
		BucketMeta, BucketIDs, BucketSessions, BucketRuns, BucketInputs, BucketBodies, BucketPermissions, BucketKeys,
		BucketEvents,
	}
	// LiveBuckets are the buckets in which a deleted session has no rows.
	LiveBuckets = [][]byte{
		BucketSessions, BucketRuns, BucketInputs, BucketBodies, BucketPermissions, BucketKeys,
	}
)

// The rows of the bucket meta.
var (
	FileKey       = []byte("file")
	CheckpointKey = []byte("checkpoint")
)

// The two rows of a session share a page, because every append writes both.
const (
	RowSession = 0
	RowCursor  = 1
)

// The limits of names in keys.
const (
	MaxSessionID = 256  // bytes of a session id
	MaxName      = 1024 // bytes of a key that a client or an agent chose
)

// NameKey returns the key of name below a session's number.
func NameKey(number uint64, name string) []byte {
	return append(PrefixOf(number), name...)
}

// PrefixOf returns the beginning of all keys of a session.
func PrefixOf(number uint64) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 0, 48), number)
}

// RowKey returns the key of one of the two rows of a session: RowSession or RowCursor.
func RowKey(number uint64, row byte) []byte { return append(PrefixOf(number), row) }

// PairKey returns the key of a run, or of a chunk of events.
func PairKey(number, second uint64) []byte {
	return binary.BigEndian.AppendUint64(PrefixOf(number), second)
}

// NumberOf returns the number at the beginning of a key.
func NumberOf(key []byte) (uint64, bool) {
	if len(key) < 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(key), true
}

// SecondOf returns the second number of a [PairKey].
func SecondOf(key []byte) (uint64, bool) {
	if len(key) != 16 {
		return 0, false
	}
	return binary.BigEndian.Uint64(key[8:]), true
}

// NameOf returns the name in a [NameKey].
func NameOf(key []byte) string { return string(key[8:]) }

// Describe formats a key for people: the bucket, the session's number, the rest.
func Describe(bucket, key []byte) string {
	number, ok := NumberOf(key)
	second, pair := SecondOf(key)
	switch name := string(bucket); {
	case name == "payloads":
		return fmt.Sprintf("%s/%x", name, key)
	case !ok || name == "meta" || name == "ids":
		return fmt.Sprintf("%s/%q", name, key)
	case name == "sessions" && len(key) == 9 && key[8] == RowSession:
		return fmt.Sprintf("%s/%d/record", name, number)
	case name == "sessions" && len(key) == 9 && key[8] == RowCursor:
		return fmt.Sprintf("%s/%d/cursor", name, number)
	case pair && (name == "runs" || name == "events"):
		return fmt.Sprintf("%s/%d/%d", name, number, second)
	default:
		return fmt.Sprintf("%s/%d/%q", name, number, key[8:])
	}
}

// Indexes in Buckets of those whose rows need special treatment.
const (
	CodeBodies = 5 // of BucketBodies
	CodeEvents = 8 // of BucketEvents
)

// BucketCode returns the index of a bucket in Buckets.
func BucketCode(bucket []byte) byte {
	for i := range Buckets {
		if string(Buckets[i]) == string(bucket) {
			return byte(i)
		}
	}
	panic("there is no bucket " + string(bucket))
}
