package drafts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// maxFile is the maximum size of a file that is read: drafts and histories are much smaller.
const maxFile = 64 << 20

// Store is the directory with all drafts and histories.
type Store struct{ dir string }

// Open returns the store in a directory, which it creates.
func Open(dir string) (*Store, error) {
	for _, d := range []string{dir, filepath.Join(dir, "history"), filepath.Join(dir, "drafts")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("create directory of drafts: %w", err)
		}
	}
	return &Store{dir}, nil
}

// hash names a working directory.
func hash(project string) string {
	sum := sha256.Sum256([]byte(project))
	return hex.EncodeToString(sum[:12])
}

// replace writes a file by rename. With sync the content and the name are on the disk afterwards.
func replace(path string, content []byte, sync bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil && sync {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the cause
	}
	return err
}
