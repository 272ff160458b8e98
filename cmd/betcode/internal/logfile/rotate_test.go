package logfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// put creates the files of a log; an empty content is a missing file.
func put(t *testing.T, path string, contents ...string) {
	t.Helper()
	for n, c := range contents {
		if c == "" {
			continue
		}
		if err := os.WriteFile(numbered(path, n), []byte(c), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// got returns the contents of the files of a log, the newest first; "" is a missing file.
func got(t *testing.T, path string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for n := range len(entries) + 3 {
		raw, err := os.ReadFile(numbered(path, n))
		if err == nil {
			all = append(all, slices.Repeat([]string{""}, n-len(all))...)
			all = append(all, string(raw))
		}
	}
	return all
}

func write(t *testing.T, f *File, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if n, err := f.Write([]byte(line)); err != nil || n != len(line) {
			t.Fatalf("write %q: %d, %v", line, n, err)
		}
	}
}

func openAt(t *testing.T, path string, l Limits) *File {
	t.Helper()
	f, err := Open(Options{Path: path, Limits: l, Failing: func(err error) {
		if err != nil {
			t.Error(err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestRotation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		limits Limits
		before []string
		lines  []string
		want   []string
	}{
		{"all fits", Limits{10, 3}, nil, []string{"aaaa\n", "bbbb\n"}, []string{"aaaa\nbbbb\n"}},
		{"one too many", Limits{10, 3}, nil, []string{"aaaa\n", "bbbb\n", "c\n"}, []string{"c\n", "aaaa\nbbbb\n"}},
		{"the oldest goes", Limits{5, 3}, []string{"1", "2", "3"}, []string{"aaaaa", "bbbbb"}, []string{"bbbbb", "aaaaa", "1"}},
		{"a long line", Limits{5, 3}, nil, []string{"aaaaaaaaa", "b", "c"}, []string{"bc", "aaaaaaaaa"}},
		{"one file", Limits{5, 1}, []string{"1", "2"}, []string{"aaaaa", "b"}, []string{"b"}},
		{"fewer than before", Limits{5, 2}, []string{"1", "2", "3", "4"}, []string{"aaaaa"}, []string{"aaaaa", "1"}},
		{"gaps", Limits{5, 3}, []string{"1", "", "3"}, []string{"aaaaa"}, []string{"aaaaa", "1", "3"}},
		{"without limit", Limits{0, 3}, []string{"1"}, []string{strings.Repeat("a", 1000)}, []string{"1" + strings.Repeat("a", 1000)}},
		{"full before", Limits{5, 3}, []string{"1234567", "2"}, nil, []string{"", "1234567", "2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "log")
			put(t, path, test.before...)
			write(t, openAt(t, path, test.limits), test.lines...)
			if all := got(t, path); !slices.Equal(all, test.want) {
				t.Errorf("got %q, want %q", all, test.want)
			}
		})
	}
}

// A rotation that is killed before any step loses no line that was to be kept, keeps the
// order, and the next rotation works.
func TestKilledInARotation(t *testing.T) {
	t.Parallel()
	for files := 1; files <= 4; files++ {
		contents := []string{"newest.", "second.", "third.", "fourth.", "fifth."}
		path := filepath.Join(t.TempDir(), "log")
		put(t, path, contents...)
		there, err := older(path)
		if err != nil {
			t.Fatal(err)
		}
		for killed := range len(steps(path, files, there)) + 1 {
			t.Run(fmt.Sprintf("%d files, %d steps", files, killed), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "log")
				put(t, path, contents...)
				for _, s := range steps(path, files, there)[:killed] {
					if err := s.do(); err != nil {
						t.Fatal(err)
					}
				}
				write(t, openAt(t, path, Limits{Bytes: 8, Files: files}), "next....")
				want := append([]string{"next...."}, contents...)[:files]
				if all := got(t, path); !slices.Equal(all, want) {
					t.Errorf("got %q, want %q", all, want)
				}
			})
		}
	}
}

// Files with similar names are not touched.
func TestFilesOfOthers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	names := []string{".gz", ".01", ".100", ".20241122", ".1.gz", "1"}
	for _, name := range names {
		put(t, path+name, "x")
	}
	write(t, openAt(t, path, Limits{2, 1}), "aa", "bb")
	for _, name := range names {
		if _, err := os.Stat(path + name); err != nil {
			t.Error(err)
		}
	}
}
