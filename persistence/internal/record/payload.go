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
	// Below it such a file would cost more than the pages do.
	PayloadBytes = 64 << 10

	outOfLineTag = 14<<3 | byte(protowire.BytesType) // Reference payload = 14
)

// PayloadID names a payload that is kept out of line: the SHA-256 of its bytes.
type PayloadID [sha256.Size]byte

// String returns the hash in hexadecimal digits: the name of the payload's file.
func (id PayloadID) String() string { return hex.EncodeToString(id[:]) }

// ParsePayloadID reads the name of a payload.
func ParsePayloadID(name string) (id PayloadID, ok bool) {
	raw, err := hex.DecodeString(name)
	return PayloadID(append(raw, make([]byte, sha256.Size)...)), err == nil && len(raw) == len(id)
}

// MayBePayload reports whether values of a bucket may be kept out of line: what
// agents and clients said, not what is looked at all the time.
func MayBePayload(bucket []byte) bool {
	return string(bucket) == string(BucketEvents) || string(bucket) == string(BucketBodies)
}

// Reference is the body of the value that stands for a payload.
func Reference(id PayloadID, length int) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(&storev1.OutOfLine{
		Payload: &storev1.Reference{Sha256: id[:], Length: uint64(length)}, //nolint:gosec // of a slice
	})
}

// Referenced reads what reference made. ok is false for a body that is itself the
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

// SameBody reports whether two values of a key say the same, the older of which may
// be out of line.
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

// Payload is one payload that a file will refer to.
type Payload struct {
	ID      PayloadID
	Length  int
	Carried bool   // a row of the file before referred to it
	Row     []byte // who refers to it: the bucket's number and the key
}

// ListKey is the key of a row's reference in a file's list: so what a row does
// not refer to any more can be taken off it, though others do.
func ListKey(id PayloadID, row []byte) []byte { return append(id[:], row...) }

// ListedRow names a row in the list of payloads: the number of its bucket, and its key.
func ListedRow(bucket, key []byte) []byte { return append([]byte{BucketCode(bucket)}, key...) }
