package drafts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"betcode/messages/regular"
)

// Bounds of a history.
const (
	maxEntries      = 1000
	maxEntryBytes   = 64 << 10 // a longer message is in the session's journal only
	maxHistoryBytes = 4 << 20
)

// History is the messages that were sent in one working directory.
type History struct{ path string }

// entry is one line of the file.
type entry struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// History returns the history of a working directory.
func (s *Store) History(project string) *History {
	return &History{filepath.Join(s.dir, "history", hash(project)+".jsonl")}
}

// Load returns the messages, the oldest first. Lines that cannot be read, such as one that was torn by a crash, are left out.
func (h *History) Load() ([]string, error) {
	entries, err := h.read()
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = e.Text
	}
	return texts, err
}

func (h *History) read() ([]entry, error) {
	content, err := regular.Read(h.path, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read history: %w", err)
	}
	var entries []entry
	for line := range bytes.Lines(content) {
		var e entry
		if json.Unmarshal(line, &e) == nil && e.Text != "" {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// Add appends a message. Terminals that add at the same time wait for each other.
func (h *History) Add(text string, now time.Time) error {
	if text == "" || len(text) > maxEntryBytes {
		return nil
	}
	lock := newLock(h.path)
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock history: %w", err)
	}
	defer lock.Close()
	line, err := json.Marshal(entry{now.UTC(), text})
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	if info, err := os.Stat(h.path); err == nil && info.Size() > maxHistoryBytes/2 {
		return h.shorten(entry{now.UTC(), text})
	}
	f, err := regular.Append(h.path)
	if err != nil {
		return fmt.Errorf("open history: %w", err)
	}
	defer f.Close()
	if torn(f) {
		line = append([]byte("\n"), line...)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

// torn reports whether the last line has no end.
func torn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// shorten writes the newest messages, with one more, as a new file.
func (h *History) shorten(newest entry) error {
	entries, err := h.read()
	if err != nil {
		return err
	}
	entries = append(entries, newest)
	var lines [][]byte
	size := 0
	for i := len(entries) - 1; i >= 0 && len(lines) < maxEntries; i-- {
		line, err := json.Marshal(entries[i])
		if err != nil {
			return fmt.Errorf("encode message: %w", err)
		}
		if size += len(line) + 1; size > maxHistoryBytes/4 {
			break
		}
		lines = append(lines, line)
	}
	var content []byte
	for i := len(lines) - 1; i >= 0; i-- {
		content = append(append(content, lines[i]...), '\n')
	}
	if err := replace(h.path, content, true); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}
