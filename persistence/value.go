package persistence

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"betcode/messages"
)

// recordVersion is the version of the records written here, and the newest that
// can be read.
const recordVersion = 1

// Every value ends in a field of its own: a CRC-32C of its key and of all that
// precedes the field. So a value is a message of store.proto and a damaged one
// is known for one, as is a sound one under a wrong key.
const (
	checksumField = 15
	checksumTag   = checksumField<<3 | byte(protowire.Fixed32Type)
	checksumBytes = 5
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	errShort    = errors.New("value is too short")
	errChecksum = errors.New("checksum does not match")
)

func checksum(key, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, body)
}

// stamp appends the checksum to body, making it a value for key.
func stamp(key, body []byte) []byte {
	sum := checksum(key, body)
	return binary.LittleEndian.AppendUint32(append(body, checksumTag), sum)
}

// unstamp checks a value and returns its body, which is part of the value.
func unstamp(key, value []byte) ([]byte, error) {
	n := len(value) - checksumBytes
	if n < 0 || value[n] != checksumTag {
		return nil, errShort
	}
	if binary.LittleEndian.Uint32(value[n+1:]) != checksum(key, value[:n]) {
		return nil, errChecksum
	}
	return value[:n], nil
}

// record is a message of store.proto that carries a version.
type record interface {
	proto.Message
	GetVersion() uint32
}

// encode returns the value for r under key. Fields of old, the value that is
// replaced, which this build does not know are kept: a newer build wrote them.
// That holds for the fields of the record itself, not for those of messages
// within it. A damaged old value is simply replaced.
func encode(key []byte, r record, old []byte) ([]byte, error) {
	options := proto.MarshalOptions{Deterministic: true}
	body := make([]byte, 0, options.Size(r)+checksumBytes)
	options.UseCachedSize = true
	body, err := options.MarshalAppend(body, r)
	if err != nil {
		return nil, err
	}
	if old != nil {
		if oldBody, err := unstamp(key, old); err == nil {
			body = appendUnknown(body, oldBody, r)
		}
	}
	return stamp(key, body), nil
}

// appendUnknown appends to body the fields of old that r's type has not.
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

// decode reads the value of key into r. Whatever is wrong with it is a
// [messages.DataLoss] that names the key. Nothing in r aliases value.
func decode(op string, bucket, key, value []byte, r record) error {
	body, err := unstamp(key, value)
	return decodeBody(op, bucket, key, body, err, r)
}

// decodeBody is decode for who has the body already, or failed to get it.
func decodeBody(op string, bucket, key, body []byte, err error, r record) error {
	if err == nil {
		err = proto.Unmarshal(body, r)
	}
	if err == nil && r.GetVersion() == 0 {
		err = errors.New("record has no version")
	}
	if err != nil {
		return damagedKey(op, bucket, key, err)
	}
	if v := r.GetVersion(); v > recordVersion {
		return messages.Errorf(op, messages.Unimplemented, "%s is a record of version %d, newer than %d",
			describe(bucket, key), v, recordVersion).WithCode(messages.StorageError).WithHint(hintNewer)
	}
	return nil
}

const (
	hintNewer   = "A newer betcode wrote this journal: use that version, or one after it."
	hintDamaged = "The journal is damaged: check the disk. 'betcode journal verify' names the damage, 'betcode journal repair' says what" +
		" can be kept, and 'betcode journal restore' brings a backup back."
	hintRepair = "'betcode journal repair' says what would be lost without the part that cannot be read, and leaves it out on request;" +
		" 'betcode journal restore' brings a backup back."
	hintManifest = "No copy of MANIFEST can be read. 'betcode journal repair' makes it again from the files; 'betcode journal restore'" +
		" brings a backup back."
	hintDenied = "The file has to belong to the user of the daemon, who must be able to read and write it: check its owner and mode, and those of its directory."

	hintReadOnly = "The file system is read-only: mount it for writing, or give the daemon another --state-dir."

	hintDisk = "Check the disk that holds the journal and the free space on it."
)

// damagedKey says that one key of a file cannot be read.
func damagedKey(op string, bucket, key []byte, cause error) *messages.Error {
	name := describe(bucket, key)
	return (&messages.Error{Op: op, Kind: messages.DataLoss, Err: fmt.Errorf("%s: %w", name, cause)}).
		WithCode(messages.StorageError).WithHint(hintDamaged).With("key", name)
}
