package persistence

import (
	"encoding/binary"
	"fmt"

	"betcode/messages"
)

// The buckets of a journal file. All but meta and ids have keys that begin with
// the number of a session.
var (
	bucketMeta        = []byte("meta")        // "file" → File, "checkpoint" → Checkpoint
	bucketIDs         = []byte("ids")         // session id → Identity
	bucketSessions    = []byte("sessions")    // number, row → Session or Cursor
	bucketRuns        = []byte("runs")        // number, run → Run
	bucketInputs      = []byte("inputs")      // number, key of the input → Input
	bucketBodies      = []byte("bodies")      // the same key → Body
	bucketPermissions = []byte("permissions") // number, request id → Permission
	bucketKeys        = []byte("keys")        // number, idempotency key → Key
	bucketEvents      = []byte("events")      // number, number of the last event → Chunk

	// bucketBlobs is not one of buckets: there is none in older files, and no log
	// has rows of it.
	bucketBlobs = []byte("payloads") // SHA-256, row that refers to it → Payload
)

var (
	// buckets is every bucket of a file. Their order is part of the form of a log.
	buckets = [][]byte{
		bucketMeta, bucketIDs, bucketSessions, bucketRuns, bucketInputs, bucketBodies, bucketPermissions, bucketKeys,
		bucketEvents,
	}
	// liveBuckets hold what a deleted session leaves behind nothing of.
	liveBuckets = [][]byte{
		bucketSessions, bucketRuns, bucketInputs, bucketBodies, bucketPermissions, bucketKeys,
	}
)

var (
	fileKey       = []byte("file")
	checkpointKey = []byte("checkpoint")
)

// The two rows of a session share a page, because every append writes both.
const (
	rowSession = 0
	rowCursor  = 1
)

const (
	maxSessionID = 256  // bytes of a session id
	maxName      = 1024 // bytes of a key that somebody else chose
)

// under returns the key of name below a session's number.
func under(number uint64, name string) []byte {
	return append(prefixOf(number), name...)
}

func prefixOf(number uint64) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 0, 48), number)
}

func rowKey(number uint64, row byte) []byte { return append(prefixOf(number), row) }

// pairKey is the key of a run, and of a chunk of events.
func pairKey(number, second uint64) []byte {
	return binary.BigEndian.AppendUint64(prefixOf(number), second)
}

// numberOf returns the number a key begins with.
func numberOf(key []byte) (uint64, bool) {
	if len(key) < 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(key), true
}

// secondOf returns what [pairKey] put behind the number.
func secondOf(key []byte) (uint64, bool) {
	if len(key) != 16 {
		return 0, false
	}
	return binary.BigEndian.Uint64(key[8:]), true
}

// nameOf returns what [under] put behind the number.
func nameOf(key []byte) string { return string(key[8:]) }

// describe names a key for people: the bucket, the session's number, the rest.
func describe(bucket, key []byte) string {
	number, ok := numberOf(key)
	second, pair := secondOf(key)
	switch name := string(bucket); {
	case name == "payloads":
		return fmt.Sprintf("%s/%x", name, key)
	case !ok || name == "meta" || name == "ids":
		return fmt.Sprintf("%s/%q", name, key)
	case name == "sessions" && len(key) == 9 && key[8] == rowSession:
		return fmt.Sprintf("%s/%d/record", name, number)
	case name == "sessions" && len(key) == 9 && key[8] == rowCursor:
		return fmt.Sprintf("%s/%d/cursor", name, number)
	case pair && (name == "runs" || name == "events"):
		return fmt.Sprintf("%s/%d/%d", name, number, second)
	default:
		return fmt.Sprintf("%s/%d/%q", name, number, key[8:])
	}
}

func unknownSession(op string, id messages.SessionID) *messages.Error {
	return messages.Errorf(op, messages.NotFound, "there is no session %q", id).
		WithCode(messages.SessionNotFound).With("session_id", string(id))
}

const (
	codeBodies = 5 // of bucketBodies
	codeEvents = 8 // of bucketEvents
)

// bucketCode is the index of a bucket in buckets.
func bucketCode(bucket []byte) byte {
	for i := range buckets {
		if string(buckets[i]) == string(bucket) {
			return byte(i)
		}
	}
	panic("there is no bucket " + string(bucket))
}
