package spool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"betcode/messages"
	"betcode/messages/failpoint"
)

// An archive is the compressed content of a spool, in segments beside it: the segment
// <spool>.<from>-<to>.zst has the bytes from one offset to another. Together they
// cover the spool from its beginning; the spool itself may lack the bytes that they cover.
// A segment appears whole: it is written under another name, synced and
// renamed before the space of its bytes is freed.

const (
	sealedEnd     = ".zst"
	unfinishedEnd = ".new"
	opArchive     = "archive spool"
)

// steps is called at each step of sealing, with the disk as a crash at that point would
// leave it. Only tests set it.
type steps func(name string) error

func (s steps) at(name string) error {
	if s == nil {
		return nil
	}
	return s(name)
}

// segment is one file of an archive.
type segment struct {
	path     string
	from, to int64
}

// segments lists the archived segments of the spool at path, without a gap from its
// beginning.
func segments(path string) ([]segment, error) {
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var found []segment
	for _, f := range files {
		rest, ours := strings.CutPrefix(f.Name(), filepath.Base(path)+".")
		rest, whole := strings.CutSuffix(rest, sealedEnd)
		s := segment{path: filepath.Join(filepath.Dir(path), f.Name())}
		if n, _ := fmt.Sscanf(rest, "%d-%d", &s.from, &s.to); ours && whole && n == 2 && s.from < s.to {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b segment) int {
		if a.from != b.from {
			return int(min(max(a.from-b.from, -1), 1))
		}
		return int(min(max(b.to-a.to, -1), 1))
	})
	var all []segment
	for _, s := range found {
		if end := endOf(all); s.from == end {
			all = append(all, s)
		} else if s.from > end {
			return nil, messages.Errorf(opArchive, messages.DataLoss, "%s is archived up to %d and from %d on", path, end, s.from)
		}
	}
	return all, nil
}

func endOf(all []segment) int64 {
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1].to
}

// Seal archives the spool at path up to an offset and frees the space of that part. The
// writer may write on behind it. A repeated call has no effect.
func Seal(path string, to int64) error { return seal(path, to, nil) }

// Finish archives the whole spool, whose writer has ended, and removes it. A missing spool
// was finished before.
func Finish(path string) error { return finish(path, nil) }

func finish(path string, at steps) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = seal(path, info.Size(), at)
	}
	if err == nil {
		err = at.at("archived")
	}
	if err == nil {
		err = os.Remove(path)
	}
	failpoint.Hit(failpoint.ArchiveDone)
	return archiveError(err)
}

func seal(path string, to int64, at steps) error {
	all, err := segments(path)
	if err != nil {
		return archiveError(err)
	}
	if from := endOf(all); from < to {
		if err := write(path, segment{fmt.Sprintf("%s.%d-%d%s", path, from, to, sealedEnd), from, to}, at); err != nil {
			return archiveError(err)
		}
	}
	failpoint.Hit(failpoint.ArchiveKept)
	return archiveError(punch(path, to)) // also if a crash came before it
}

// write makes one segment.
func write(path string, s segment, at steps) error {
	spool, err := os.Open(path)
	if err != nil {
		return err
	}
	defer spool.Close()
	half, err := os.OpenFile(s.path+unfinishedEnd, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer half.Close()
	encoder, err := zstd.NewWriter(half, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return err
	}
	n, err := io.Copy(encoder, io.NewSectionReader(spool, s.from, s.to-s.from))
	if err == nil && n < s.to-s.from {
		err = messages.Errorf(opArchive, messages.DataLoss, "%s ends before %d", path, s.to)
	}
	err = errors.Join(err, encoder.Close())
	if err == nil {
		failpoint.Hit(failpoint.ArchiveWritten)
		err = at.at("written")
	}
	if err == nil {
		err = half.Sync()
	}
	if err != nil {
		os.Remove(half.Name())
		return err
	}
	failpoint.Hit(failpoint.ArchiveSynced)
	if err := at.at("synced"); err != nil {
		return err
	}
	if err := os.Rename(half.Name(), s.path); err != nil {
		return err
	}
	failpoint.Hit(failpoint.ArchiveNamed)
	if err := at.at("renamed"); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

func syncDirectory(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func archiveError(err error) error {
	var e *messages.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	return &messages.Error{Op: opArchive, Kind: messages.Unavailable, Err: err}
}

// Sweep removes archives of finished spools, whose paths match pattern: those that
// were last written before a time, and then the oldest until the others have at most
// so many bytes together.
func Sweep(pattern string, before time.Time, bytes int64) error {
	files, err := filepath.Glob(pattern + ".*" + sealedEnd)
	if err != nil {
		return archiveError(err)
	}
	type archive struct {
		files  []string
		bytes  int64
		newest time.Time
	}
	archives, total := map[string]*archive{}, int64(0)
	for _, file := range files {
		dir := filepath.Dir(file)
		info, err := os.Stat(file)
		if err != nil {
			continue // removed meanwhile
		}
		if archives[dir] == nil {
			archives[dir] = &archive{}
		}
		a := archives[dir]
		a.files, a.bytes = append(a.files, file), a.bytes+info.Size()
		if info.ModTime().After(a.newest) {
			a.newest = info.ModTime()
		}
		total += info.Size()
	}
	dirs := slices.SortedFunc(maps.Keys(archives), func(a, b string) int { return archives[a].newest.Compare(archives[b].newest) })
	for _, dir := range dirs {
		a := archives[dir]
		if !a.newest.Before(before) && total <= bytes {
			break
		}
		if _, err := os.Stat(filepath.Join(dir, filepath.Base(pattern))); err == nil {
			continue // the run is live, or not finished
		}
		for _, file := range a.files {
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return archiveError(err)
			}
		}
		total -= a.bytes
	}
	return nil
}
