package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	storev1 "betcode/proto/betcode/store/v1"
)

const (
	// PayloadBytes is the size above which a value is stored as a file of its own.
	// Below it such a file would cost more than pages do.
	PayloadBytes = 64 << 10

	outOfLineTag = 14<<3 | byte(protowire.BytesType) // Reference payload = 14
)

// PayloadID identifies a payload that is stored out of line: the SHA-256 of its bytes.
type PayloadID [sha256.Size]byte

// String returns the hash in hexadecimal digits: the name of the payload's file.
func (id PayloadID) String() string { return hex.EncodeToString(id[:]) }

// ParsePayloadID parses the name of a payload.
func ParsePayloadID(name string) (id PayloadID, ok bool) {
	raw, err := hex.DecodeString(name)
	return PayloadID(append(raw, make([]byte, sha256.Size)...)), err == nil && len(raw) == len(id)
}

// MayBePayload reports whether values of a bucket may be payloads: texts of agents and
// clients, not records that are read often.
func MayBePayload(bucket []byte) bool {
	return string(bucket) == string(BucketEvents) || string(bucket) == string(BucketBodies)
}

// Reference returns the body of a value that refers to a payload.
func Reference(id PayloadID, length int) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(&storev1.OutOfLine{
		Payload: &storev1.Reference{Sha256: id[:], Length: uint64(length)}, //nolint:gosec // of a slice
	})
}

// Referenced is the inverse of Reference. ok is false for a body that is itself the
// payload.
func Referenced(body []byte) (id PayloadID, length uint64, ok bool, err error) {
	if len(body) == 0 || body[0] != outOfLineTag {
		return id, 0, false, nil
	}
	var r storev1.OutOfLine
	if err := proto.Unmarshal(body, &r); err != nil {
		return id, 0, true, err
	}
	if copy(id[:], r.GetPayload().GetSha256()) != len(id) {
		return id, 0, true, errors.New("a reference without a hash")
	}
	return id, r.GetPayload().GetLength(), true, nil
}

// SameBody reports whether two values of a key have the same body. The older one may be
// a reference to a payload.
func SameBody(key, older, newer []byte) bool {
	if bytes.Equal(older, newer) {
		return true
	}
	body, err := Unstamp(key, older)
	if err != nil {
		return false
	}
	id, length, out, err := Referenced(body)
	if !out || err != nil {
		return false
	}
	body, err = Unstamp(key, newer)
	return err == nil && uint64(len(body)) == length && sha256.Sum256(body) == id
}

// Payload is one payload that a file refers to.
type Payload struct {
	ID      PayloadID
	Length  int
	Carried bool   // a row of the previous file referred to it
	Row     []byte // the row that refers to it: the number of its bucket, and its key
}

// ListKey returns the key of a row in a file's list of payloads. Since the row is part of it, a
// reference can be removed while other rows refer to the same payload.
func ListKey(id PayloadID, row []byte) []byte { return append(id[:], row...) }

// ListedRow identifies a row in the list of payloads: the number of its bucket, and its key.
func ListedRow(bucket, key []byte) []byte { return append([]byte{BucketCode(bucket)}, key...) }
