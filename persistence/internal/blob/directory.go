package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/record"
)

// Directory is the directory of payloads: each a file named by its hash, in one of 256
// directories. A complete payload never changes. The package documentation describes when
// payloads are removed.
type Directory struct {
	directory string
	Steps     disk.Steps

	needed  sync.RWMutex // read: all payloads must stay; write: sweep
	readers sync.RWMutex // read: rows and their payloads are read; write: payloads are removed

	writing sync.Mutex // write payloads, until they have their names

	mu   sync.Mutex               // guards pins; a sweep locks it too
	pins map[record.PayloadID]int // payloads that rows are about to refer to
}

// New returns the payloads of the journal in a directory. steps is for tests.
func New(journal string, steps disk.Steps) *Directory {
	return &Directory{directory: filepath.Join(journal, DirectoryName), Steps: steps, pins: map[record.PayloadID]int{}}
}

func (b *Directory) shard(n byte) string {
	return filepath.Join(b.directory, hex.EncodeToString([]byte{n}))
}

// Path returns the path of a payload.
func (b *Directory) Path(id record.PayloadID) string {
	return filepath.Join(b.shard(id[0]), id.String())
}

// Resolve returns the payload in the body of a value, or the one that the body refers to.
func (b *Directory) Resolve(body []byte) ([]byte, error) {
	id, length, out, err := record.Referenced(body)
	if err != nil || !out {
		return body, err
	}
	return b.Read(id, length)
}

// Read returns a payload if its content matches its name. The error names the payload.
func (b *Directory) Read(id record.PayloadID, length uint64) ([]byte, error) {
	payload, err := readExactly(b.Path(id), length)
	switch {
	case errors.Is(err, os.ErrNotExist):
		err = errors.New("is missing")
	case err == nil && record.PayloadID(sha256.Sum256(payload)) != id:
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

// Count returns how many payloads there are, and their bytes.
func (b *Directory) Count() (files int, bytes int64) {
	for n := range Shards {
		entries, _ := os.ReadDir(b.shard(byte(n))) // a missing directory has none
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				files, bytes = files+1, bytes+info.Size()
			}
		}
	}
	return files, bytes
}

const (
	// DirectoryName is the directory of the payloads, in that of the journal.
	DirectoryName = "blobs"
	// Shards is the number of its directories: one for each first byte of a payload's hash.
	Shards = 256
)
