package disk

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"betcode/messages"
)

// Space is the space on a filesystem, in bytes.
type Space struct {
	Free  int64 // for this user, without the space reserved for the superuser
	Total int64
}

// Reserve is the path of a file that takes space, to be released when there is no other.
// Empty: there is none.
type Reserve string

// Keep writes the file with this many bytes, all of them on the disk, unless it
// exists. It removes a file that could not be written completely.
func (r Reserve) Keep(bytes int64) error {
	const op = "keep a reserve"
	if r == "" {
		return nil
	}
	if info, err := os.Stat(string(r)); err == nil && info.Size() == bytes {
		return nil
	}
	half := string(r) + ".new"
	err := write(half, bytes)
	if err == nil {
		err = os.Rename(half, string(r))
	}
	if err != nil {
		os.Remove(half) // it may not exist
		return &messages.Error{Op: op, Kind: messages.Unavailable, Err: err}
	}
	return nil
}

// Release frees the space.
func (r Reserve) Release() error {
	if r == "" {
		return nil
	}
	if err := os.Remove(string(r)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &messages.Error{Op: "release the reserve", Kind: messages.Unavailable, Err: err}
	}
	return nil
}

// write fills a new file with bytes that no filesystem can omit or compress, and waits until
// they are on the disk.
func write(path string, bytes int64) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	noise := rand.NewChaCha8([32]byte{})
	for block := make([]byte, 256<<10); bytes > 0; bytes -= int64(len(block)) {
		block = block[:min(int64(len(block)), bytes)]
		_, _ = noise.Read(block) // never fails
		if _, err := f.Write(block); err != nil {
			return err
		}
	}
	return f.Sync()
}
