package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
)

// Identity returns the id in a file, and makes one, in a file for the owner only, if there
// is none. Two concurrent calls return the same id. A file with any other content is
// an error, because it may be needed.
func Identity(path string) (string, error) {
	id, err := readIdentity(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return id, err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // 0600
	if err != nil {
		return "", fmt.Errorf("make machine id: %w", err)
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.WriteString(uuid.NewString() + "\n")
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return "", fmt.Errorf("make machine id: %w", err)
	}
	if err := os.Link(temporary.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make machine id: %w", err)
	}
	return readIdentity(path)
}

func readIdentity(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read machine id: %w", err)
	}
	id := strings.TrimSpace(string(text))
	if len(id) != 36 || uuid.Validate(id) != nil {
		return "", fmt.Errorf("read machine id: %s holds no UUID; remove it to get another id", path)
	}
	return id, nil
}
