package planlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/disk"
)

// DirectoryName is the name of the directory of journals in a state directory and in a backup.
const DirectoryName = "orchestrations"

// listName is the file of a copy that lists the copied files.
const listName = "LIST"

// list is the content of listName.
type list struct {
	Format int         `json:"format"`
	Files  []listEntry `json:"files"`
}

type listEntry struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Marks are the lengths of the journals of a directory at one time.
type Marks struct {
	directory string
	files     []listEntry
}

// Mark records the lengths of the journals of a directory. It takes a millisecond for a thousand.
func Mark(directory string) (Marks, error) {
	m := Marks{directory: directory}
	all, err := names(directory)
	for _, name := range all {
		info, err := os.Stat(filepath.Join(directory, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return m, err
		}
		m.files = append(m.files, listEntry{name, info.Size()})
	}
	return m, err
}

// Copy copies the journals up to their marks to a directory that it makes, and syncs them. It leaves out journals that were
// removed meanwhile, which are those of orchestrations that ended long ago. If there are no journals, it makes no directory.
func (m Marks) Copy(ctx context.Context, to string) (files int, size int64, err error) {
	if len(m.files) == 0 {
		return 0, 0, nil
	}
	if err := disk.MakeDirectory(to); err != nil {
		return 0, 0, err
	}
	copied := list{Format: Format}
	for _, f := range m.files {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		length, err := copyLines(filepath.Join(m.directory, f.Name), filepath.Join(to, f.Name), f.Bytes)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		copied.Files = append(copied.Files, listEntry{f.Name, length})
		size += length
	}
	text, err := appendLine(nil, copied)
	if err != nil {
		return 0, 0, err
	}
	_, err = disk.Replace(to, listName, text, nil)
	return len(copied.Files), size, err
}

// copyLines copies the complete lines in the first bytes of a file.
func copyLines(from, to string, most int64) (length int64, err error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer in.Close() // it was read only
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	counted := &lineCounter{to: out}
	_, err = io.Copy(counted, io.LimitReader(in, most))
	if err == nil {
		err = out.Truncate(counted.whole)
	}
	return counted.whole, errors.Join(err, out.Sync(), out.Close())
}

// lineCounter counts the bytes of complete lines that are written through it.
type lineCounter struct {
	to        io.Writer
	at, whole int64
}

// Write implements io.Writer.
func (c *lineCounter) Write(b []byte) (int, error) {
	if last := bytes.LastIndexByte(b, '\n'); last >= 0 {
		c.whole = c.at + int64(last) + 1
	}
	n, err := c.to.Write(b)
	c.at += int64(n)
	return n, err
}

// Take copies the journals of a backup to a directory that it makes. Those of unfinished orchestrations get an event, so
// that nothing is started until a person lets them continue. Damaged ones are copied as they are.
func Take(ctx context.Context, from, to string, now time.Time) (files int, size int64, err error) {
	all, err := names(from)
	if err != nil {
		return 0, 0, err
	}
	if err := disk.MakeDirectory(to); err != nil {
		return 0, 0, err
	}
	for _, name := range all {
		path := filepath.Join(to, name)
		if err := disk.CopyFile(ctx, filepath.Join(from, name), path); err != nil {
			return files, size, err
		}
		length, err := markRestored(ctx, path, now)
		if err != nil {
			return files, size, err
		}
		files, size = files+1, size+length
	}
	return files, size, disk.SyncDirectory(to)
}

// markRestored adds the event restored to a journal, so that its orchestration waits. It returns the size of the journal.
func markRestored(ctx context.Context, path string, now time.Time) (size int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	c, err := Check(ctx, path, info.Size())
	if err != nil || c.Damage != nil || c.Ended {
		return info.Size(), ctx.Err()
	}
	return Append(path, c.Sound, []messages.OrchestrationEvent{{Seq: c.Head + 1, At: now, Kind: messages.EventRestored}})
}

// listed returns the list of a copy; false if the directory is no copy.
func listed(directory string) (list, bool, error) {
	text, err := os.ReadFile(filepath.Join(directory, listName))
	if errors.Is(err, os.ErrNotExist) {
		return list{}, false, nil
	}
	if err != nil {
		return list{}, false, err
	}
	var l list
	if err := parseLine(bytes.TrimSuffix(text, []byte("\n")), &l); err != nil {
		return l, true, fmt.Errorf("%s cannot be read: %w", listName, err)
	}
	return l, true, nil
}
