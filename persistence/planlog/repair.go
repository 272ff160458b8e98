package planlog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/disk"
)

// Finding describes the damage of a journal, and the effect of a repair.
func (c Checked) Finding() messages.JournalFinding {
	f := messages.JournalFinding{File: c.Name(), Offset: c.Sound, Problem: c.Damage.Error()}
	switch {
	case c.Sound == 0:
		f.Offset, f.Outcome = -1, "the orchestration is lost"
	case c.Ended:
		f.Outcome = fmt.Sprintf("cut behind event %d", c.Head)
	default:
		f.Outcome = fmt.Sprintf("cut behind event %d; the orchestration is paused", c.Head)
	}
	return f
}

// Repair makes a damaged journal openable, after it has copied it to a directory that it makes. A journal is cut before the
// damage. The lost part may have been a person's request to cancel it, so the orchestration is paused: steps that ran are
// followed to their ends, and no other starts. A journal without a header is removed.
func Repair(directory string, c Checked, aside string, now time.Time) error {
	path := filepath.Join(directory, c.File)
	if err := os.MkdirAll(aside, 0o700); err != nil {
		return err
	}
	kept := filepath.Join(aside, c.File)
	if err := copyWhole(path, kept); err != nil {
		return err
	}
	if err := disk.SyncDirectory(aside); err != nil {
		return err
	}
	if c.Sound == 0 {
		return errors.Join(os.Remove(path), disk.SyncDirectory(directory))
	}
	text := make([]byte, c.Sound)
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.ReadFull(file, text)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if !c.Ended {
		if text, err = appendLine(text, messages.OrchestrationEvent{Seq: c.Head + 1, At: now, Kind: messages.EventPaused}); err != nil {
			return err
		}
	}
	return replace(path, text)
}

// copyWhole copies a file. It replaces an existing copy, which is of an interrupted repair.
func copyWhole(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return replace(to, text)
}
