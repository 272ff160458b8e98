package logfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// MaxFiles is the largest number of files of a log. Files with higher numbers do not belong to it.
const MaxFiles = 99

// step renames a file of a log, or removes it if to is empty. A process that is killed
// before or after any step leaves a log that can be read and rotated.
type step struct{ from, to string }

func (s step) do() error {
	err := os.Remove
	if s.to != "" {
		err = func(from string) error { return os.Rename(from, s.to) }
	}
	if err := err(s.from); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// steps returns what frees path for a new file and leaves at most files of them, including
// the new one. there has the numbers of the older files. Files after a gap stay where they
// are: an interrupted rotation leaves a gap.
func steps(path string, files int, there []int) []step {
	var all []step
	for _, n := range there {
		if n >= files {
			all = append(all, step{from: numbered(path, n)}) // the limit was higher before
		}
	}
	free := 1
	for free < files-1 && slices.Contains(there, free) {
		free++
	}
	for n := min(free, files-1); n > 0; n-- {
		all = append(all, step{numbered(path, n-1), numbered(path, n)})
	}
	if files <= 1 {
		all = append(all, step{from: path})
	}
	return all
}

// numbered returns the path of an older file of a log; 0 is the newest.
func numbered(path string, n int) string {
	if n == 0 {
		return path
	}
	return path + "." + strconv.Itoa(n)
}

// older returns the numbers of the older files of a log.
func older(path string) (numbers []int, err error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+".")
		n, err := strconv.Atoi(rest)
		if ok && err == nil && n > 0 && n <= MaxFiles && strconv.Itoa(n) == rest && e.Type().IsRegular() {
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}

// rotate frees the path and continues in a new file. If another process is rotating the
// log it does nothing; the next Write checks again.
func (f *File) rotate() error {
	unlock, err := lock(f.path, f.info)
	if unlock == nil || err != nil {
		return err
	}
	defer unlock()
	there, err := older(f.path)
	if err != nil {
		return err
	}
	for _, s := range steps(f.path, f.limits.Files, there) {
		if err := s.do(); err != nil {
			return err
		}
	}
	return f.reopen()
}
