package logfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Two daemons that write to one log by mistake rotate it one at a time, and no line is
// lost.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	needsRenaming(t)
	const lines = 1000
	path := filepath.Join(t.TempDir(), "log")
	var group sync.WaitGroup
	for _, line := range []string{"from the first one\n", "from the second one\n"} {
		f := openAt(t, path, Limits{Bytes: 1000, Files: MaxFiles})
		group.Go(func() {
			for range lines {
				write(t, f, line)
			}
		})
	}
	group.Wait()
	all := got(t, path)
	if n := strings.Count(strings.Join(all, ""), "\n"); n != 2*lines {
		t.Errorf("%d lines", n)
	}
	if slices.Contains(all, "") || len(all) < 3 {
		t.Errorf("%d files: %q", len(all), all)
	}
}

func needsRenaming(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be renamed")
	}
}

// A log that was moved or deleted is created again.
func TestMovedAway(t *testing.T) {
	t.Parallel()
	needsRenaming(t)
	path := filepath.Join(t.TempDir(), "log")
	f := openAt(t, path, Limits{100, 3})
	write(t, f, "a")
	if err := os.Rename(path, path+".mine"); err != nil {
		t.Fatal(err)
	}
	write(t, f, "b")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	write(t, f, "c")
	if all := got(t, path); !slices.Equal(all, []string{"c"}) {
		t.Errorf("%q", all)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// A log that cannot be rotated grows, which is reported once.
func TestCannotRotate(t *testing.T) {
	t.Parallel()
	needsRenaming(t)
	var told []error
	path := filepath.Join(t.TempDir(), "log")
	f, err := Open(Options{Path: path, Limits: Limits{5, 2}, Failing: func(err error) { told = append(told, err) }})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	blocked := filepath.Join(numbered(path, 1), "x") // a directory is no file to replace
	if err := os.MkdirAll(blocked, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, f, "aaaaa", "bbbbb", "ccccc")
	if all, _ := os.ReadFile(path); string(all) != "aaaaabbbbbccccc" {
		t.Errorf("%q", all)
	}
	if err := errors.Join(os.Remove(blocked), os.Remove(numbered(path, 1))); err != nil {
		t.Fatal(err)
	}
	write(t, f, "ddddd")
	if all := got(t, path); !slices.Equal(all, []string{"ddddd", "aaaaabbbbbccccc"}) {
		t.Errorf("%q", all)
	}
	if len(told) != 2 || told[0] == nil || !strings.Contains(told[0].Error(), path) || told[1] != nil {
		t.Errorf("told %v", told)
	}
}

// A pipe is written to and not rotated, and a link stays a link.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	needsRenaming(t)
	write(t, openAt(t, os.DevNull, Limits{5, 2}), "aaaaa", "bbbbb")
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Error(info, err)
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "real"), "x")
	link := filepath.Join(dir, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	write(t, openAt(t, link, Limits{5, 2}), "aaaaa", "bbbbb")
	if all := got(t, filepath.Join(dir, "real")); !slices.Equal(all, []string{"bbbbb", "aaaaa"}) {
		t.Errorf("%q", all)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error(info, err)
	}
}

func TestLimitsChange(t *testing.T) {
	t.Parallel()
	needsRenaming(t)
	path := filepath.Join(t.TempDir(), "log")
	f := openAt(t, path, Limits{-1, 3})
	write(t, f, "aaaaa", "bbbbb")
	f.SetLimits(Limits{5, 3})
	write(t, f, "ccccc")
	if all := got(t, path); !slices.Equal(all, []string{"ccccc", "aaaaabbbbb"}) {
		t.Errorf("%q", all)
	}
}
