package notices

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"betcode/actors/internal/notes"
)

const suffix = ".json"

// files are the files of deliveries that wait. With an empty directory nothing is stored.
type files struct{ directory string }

func (f files) path(number uint64) string {
	return filepath.Join(f.directory, strconv.FormatUint(number, 10)+suffix)
}

// write makes a delivery durable.
func (f files) write(d delivery) error {
	if f.directory == "" {
		return nil
	}
	raw, err := json.Marshal(d)
	if err == nil {
		err = os.MkdirAll(f.directory, 0o700)
	}
	if err == nil {
		err = notes.Write(f.path(d.Number), raw)
	}
	if err != nil {
		return fmt.Errorf("keep notification: %w", err)
	}
	return nil
}

// remove removes the files of deliveries, if they exist.
func (f files) remove(numbers []uint64) error {
	var all error
	for _, n := range numbers {
		if f.directory == "" {
			break
		}
		if err := os.Remove(f.path(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, fmt.Errorf("forget notification: %w", err))
		}
	}
	return all
}

// read returns the deliveries of all files. It removes a file that it cannot parse: the notice is an event of its session.
func (f files) read() ([]delivery, error) {
	if f.directory == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(f.directory)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read notifications: %w", err)
	}
	var all []delivery
	var bad error
	for _, e := range entries {
		path := filepath.Join(f.directory, e.Name())
		d, err := readOne(path)
		if err == nil && filepath.Base(f.path(d.Number)) == e.Name() {
			all = append(all, d)
			continue
		}
		if !strings.HasSuffix(e.Name(), notes.Half) { // a half-written file is from a crash, and its notice was never accepted
			bad = errors.Join(bad, fmt.Errorf("read notification %s: %w", e.Name(), errors.Join(err, errNotUnderstood)))
		}
		bad = errors.Join(bad, os.Remove(path))
	}
	return all, bad
}

var errNotUnderstood = errors.New("it is not understood, and removed")

func readOne(path string) (delivery, error) {
	var d delivery
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &d)
	}
	return d, err
}
