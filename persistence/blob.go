package persistence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	storev1 "betcode/proto/betcode/store/v1"
)

const (
	// blobBytes is the size above which a value is kept out of line. Below it a
	// file of its own would cost more than the pages do.
	blobBytes = 64 << 10

	blobDirectory = "blobs"
	outOfLineTag  = 14<<3 | byte(protowire.BytesType) // Reference payload = 14
	blobShards    = 256                               // directories, by the first byte of the name
)

// blobID names a payload that is kept out of line: the SHA-256 of its bytes.
type blobID [sha256.Size]byte

func (id blobID) String() string { return hex.EncodeToString(id[:]) }

// blobs is the directory of the payloads that are too large for a page: each a
// file named by its hash, in one of 256 directories. What is there and is whole
// never changes. Who may remove one is told in sweep.go.
type blobs struct {
	directory string
	steps     hook

	needed  sync.RWMutex // held by who needs all of them to stay, and by who sweeps
	readers sync.RWMutex // held by who reads a row and what it refers to, and by who removes that

	writing sync.Mutex // held by who writes any, until they have their names

	mu   sync.Mutex     // held by who pins, and by who sweeps
	pins map[blobID]int // about to be referred to
}

func newBlobs(journal string, steps hook) *blobs {
	return &blobs{directory: filepath.Join(journal, blobDirectory), steps: steps, pins: map[blobID]int{}}
}

func (b *blobs) shard(n byte) string {
	return filepath.Join(b.directory, hex.EncodeToString([]byte{n}))
}

func (b *blobs) path(id blobID) string { return filepath.Join(b.shard(id[0]), id.String()) }

// parseBlob reads the name of a payload.
func parseBlob(name string) (id blobID, ok bool) {
	raw, err := hex.DecodeString(name)
	return blobID(append(raw, make([]byte, sha256.Size)...)), err == nil && len(raw) == len(id)
}

// spillable reports whether values of a bucket may be kept out of line: what
// agents and clients said, not what is looked at all the time.
func spillable(bucket []byte) bool {
	return string(bucket) == string(bucketEvents) || string(bucket) == string(bucketBodies)
}

// reference is the body of the value that stands for a payload.
func reference(id blobID, length int) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(&storev1.OutOfLine{
		Payload: &storev1.Reference{Sha256: id[:], Length: uint64(length)}, //nolint:gosec // of a slice
	})
}

// referenced reads what reference made. ok is false for a body that is itself the
// payload.
func referenced(body []byte) (id blobID, length uint64, ok bool, err error) {
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

// resolve returns the payload that the body of a value is, or refers to.
func (b *blobs) resolve(body []byte) ([]byte, error) {
	id, length, out, err := referenced(body)
	if err != nil || !out {
		return body, err
	}
	return b.read(id, length)
}

// read returns a payload, if it is what its name says. An error says which one
// it is about.
func (b *blobs) read(id blobID, length uint64) ([]byte, error) {
	payload, err := readExactly(b.path(id), length)
	switch {
	case errors.Is(err, os.ErrNotExist):
		err = errors.New("is missing")
	case err == nil && blobID(sha256.Sum256(payload)) != id:
		err = errors.New("is not what was written")
	}
	if err != nil {
		return nil, fmt.Errorf("payload %s: %w", id, err)
	}
	return payload, nil
}

// readExactly reads a file of a known length.
func readExactly(path string, length uint64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if n := info.Size(); n < 0 || uint64(n) != length {
		return nil, fmt.Errorf("has %d bytes of %d", n, length)
	}
	data := make([]byte, length)
	_, err = io.ReadFull(f, data)
	return data, err
}

// sameBody reports whether two values of a key say the same, the older of which may
// be out of line.
func sameBody(key, older, newer []byte) bool {
	if bytes.Equal(older, newer) {
		return true
	}
	body, err := unstamp(key, older)
	if err != nil {
		return false
	}
	id, length, out, err := referenced(body)
	if !out || err != nil {
		return false
	}
	body, err = unstamp(key, newer)
	return err == nil && uint64(len(body)) == length && sha256.Sum256(body) == id
}

// inline returns the value of a key as it would be were it not out of line; nil
// if there is none that can be read.
func (v view) inline(key, value []byte) []byte {
	body, err := unstamp(key, value)
	if _, _, out, bad := referenced(body); err != nil || bad != nil || !out {
		return value
	}
	if body, err = v.body(key, value); err != nil {
		return nil
	}
	return stamp(key, body)
}

// body checks a value and returns what it holds, wherever that is kept.
func (v view) body(key, value []byte) ([]byte, error) {
	body, err := unstamp(key, value)
	if err != nil || v.blobs == nil {
		return body, err
	}
	return v.blobs.resolve(body)
}

// decode is [decode] for a bucket whose values may be out of line.
func (v view) decode(op string, bucket, key, value []byte, r record) error {
	body, err := v.body(key, value)
	return decodeBody(op, bucket, key, body, err, r)
}

// count returns how many payloads there are, and their bytes.
func (b *blobs) count() (files int, bytes int64) {
	for n := range blobShards {
		entries, _ := os.ReadDir(b.shard(byte(n))) // a directory that is not there holds none
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				files, bytes = files+1, bytes+info.Size()
			}
		}
	}
	return files, bytes
}
