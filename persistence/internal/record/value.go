package record

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"betcode/messages"
	"betcode/persistence/internal/fault"
)

// RecordVersion is the version of the records written here, and the newest that
// can be read.
const RecordVersion = 1

// Every value ends in a field of its own: a CRC-32C of its key and of all that
// precedes the field. So a value is a message of store.proto, and a damaged one
// is recognised, as is a sound one under a wrong key.
const (
	checksumField = 15
	checksumTag   = checksumField<<3 | byte(protowire.Fixed32Type)
	ChecksumBytes = 5
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	errShort = errors.New("value is too short")
	// ErrChecksum is the error of a value whose checksum does not match its key and body.
	ErrChecksum = errors.New("checksum does not match")
)

func checksum(key, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, body)
}

// Stamp appends the checksum to body, which makes it a value for key.
func Stamp(key, body []byte) []byte {
	sum := checksum(key, body)
	return binary.LittleEndian.AppendUint32(append(body, checksumTag), sum)
}

// Unstamp checks a value and returns its body, which is part of the value.
func Unstamp(key, value []byte) ([]byte, error) {
	n := len(value) - ChecksumBytes
	if n < 0 || value[n] != checksumTag {
		return nil, errShort
	}
	if binary.LittleEndian.Uint32(value[n+1:]) != checksum(key, value[:n]) {
		return nil, ErrChecksum
	}
	return value[:n], nil
}

// Record is a message of store.proto with a version.
type Record interface {
	proto.Message
	GetVersion() uint32
}

// Encode returns the value for r under key. It keeps fields of old, the replaced value, that this
// build does not know, because a newer build wrote them. That applies to fields of the
// record itself, not to those of nested messages. A damaged old value is replaced.
func Encode(key []byte, r Record, old []byte) ([]byte, error) {
	options := proto.MarshalOptions{Deterministic: true}
	body := make([]byte, 0, options.Size(r)+ChecksumBytes)
	options.UseCachedSize = true
	body, err := options.MarshalAppend(body, r)
	if err != nil {
		return nil, err
	}
	if old != nil {
		if oldBody, err := Unstamp(key, old); err == nil {
			body = appendUnknown(body, oldBody, r)
		}
	}
	return Stamp(key, body), nil
}

// appendUnknown appends to body the fields of old that r's type does not have.
func appendUnknown(body, old []byte, r proto.Message) []byte {
	fields := r.ProtoReflect().Descriptor().Fields()
	for len(old) > 0 {
		number, kind, tag := protowire.ConsumeTag(old)
		if tag < 0 {
			return body
		}
		value := protowire.ConsumeFieldValue(number, kind, old[tag:])
		if value < 0 {
			return body
		}
		if fields.ByNumber(number) == nil {
			body = append(body, old[:tag+value]...)
		}
		old = old[tag+value:]
	}
	return body
}

// Decode decodes the value of key into r. An error is a [messages.DataLoss] with the
// key. Nothing in r aliases value.
func Decode(op string, bucket, key, value []byte, r Record) error {
	body, err := Unstamp(key, value)
	return DecodeBody(op, bucket, key, body, err, r)
}

// DecodeBody is Decode for a caller that has the body, or the error of getting it.
func DecodeBody(op string, bucket, key, body []byte, err error, r Record) error {
	if err == nil {
		err = proto.Unmarshal(body, r)
	}
	if err == nil && r.GetVersion() == 0 {
		err = errors.New("record has no version")
	}
	if err != nil {
		return DamagedKey(op, bucket, key, err)
	}
	if v := r.GetVersion(); v > RecordVersion {
		return messages.Errorf(op, messages.Unimplemented, "%s is a record of version %d, newer than %d",
			Describe(bucket, key), v, RecordVersion).WithCode(messages.StorageError).WithHint(fault.HintNewer)
	}
	return nil
}
