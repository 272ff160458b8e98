package planlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"betcode/messages"
)

// Header has the fields of every header.
type Header struct {
	Format    int                      `json:"format"`
	ID        messages.OrchestrationID `json:"id"`
	CreatedAt time.Time                `json:"created_at"`
	Plan      struct {
		Name  string `json:"name"`
		Steps []struct {
			ID string `json:"id"`
		} `json:"steps"`
	} `json:"plan"`
}

// Format is the newest format of journals that is known.
const Format = 1

// Checked is the result of checking a journal.
type Checked struct {
	File   string // its name
	Header Header
	Head   uint64    // number of the last event before the damage
	Sound  int64     // bytes before the damage, or before an incomplete last line
	Last   time.Time // time of its last event
	Ended  bool      // no step runs any more
	Damage error     // nil = there is none
}

// Name returns the file's name for people, with its directory.
func (c Checked) Name() string { return filepath.Join(DirectoryName, c.File) }

// Check reads a journal, or its first bytes, from end to end. An incomplete last line is no damage: a crash, or a running
// writer, leaves one. The error is about the reading.
func Check(ctx context.Context, path string, most int64) (Checked, error) {
	c := Checked{File: filepath.Base(path)}
	r, err := Open(path, most, &c.Header)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, os.ErrPermission):
		return c, err
	case err != nil:
		c.Damage = errors.New("its header, which has the plan, cannot be read")
		return c, nil
	}
	defer r.Close()
	c.Sound, c.Last = r.at, c.Header.CreatedAt
	switch {
	case c.Header.Format > Format:
		return c, messages.Errorf("read orchestration", messages.Unimplemented, "%s has format %d, and %d is the newest that this betcode reads", path, c.Header.Format, Format).
			WithHint("Use the betcode that wrote it, or a newer one.")
	case string(c.Header.ID)+suffix != c.File:
		c.Sound, c.Damage = 0, fmt.Errorf("it has the plan of %s", c.Header.ID)
		return c, nil
	}
	for {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		e, err := r.Event()
		switch {
		case err == nil:
			c.Sound, c.Head, c.Last = r.at, e.Seq, e.At
			c.take(e)
		case errors.Is(err, io.EOF):
			return c, nil
		default:
			if whole, reading := wholeLine(path, c.Sound, most); reading != nil || whole {
				c.Damage = fmt.Errorf("what follows event %d, at offset %d, cannot be read", c.Head, c.Sound)
				return c, reading
			}
			return c, nil // an incomplete last line
		}
	}
}

// take tracks whether the orchestration has ended.
func (c *Checked) take(e messages.OrchestrationEvent) {
	switch e.Kind {
	case messages.EventCompleted, messages.EventFailed:
		c.Ended = true
	case messages.EventRetried:
		c.Ended = false
	case messages.EventPaused, messages.EventResumed, messages.EventRestored, messages.EventBudgetUsed, messages.EventBudgetRaised, messages.EventBudgetRefused,
		messages.EventStopping, messages.EventStepStarted, messages.EventStepCompleted, messages.EventStepFailed, messages.EventStepCancelling,
		messages.EventStepCancelled:
	}
}

// wholeLine reports whether a complete line ends behind an offset. After a crash none does, unless the power failed.
func wholeLine(path string, offset, most int64) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close() // it was read only
	section := io.NewSectionReader(file, offset, most-offset)
	for buffer := make([]byte, 64<<10); ; {
		n, err := section.Read(buffer)
		if slices.Contains(buffer[:n], '\n') {
			return true, nil
		}
		if err != nil {
			return false, ignoreEnd(err)
		}
	}
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// names lists the journals of a directory, none if there is no directory.
func names(directory string) ([]string, error) {
	entries, err := os.ReadDir(directory)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var all []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) && e.Type().IsRegular() {
			all = append(all, e.Name())
		}
	}
	return all, err
}
