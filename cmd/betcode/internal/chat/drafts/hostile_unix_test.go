//go:build unix

package drafts

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// An agent puts something else in the place of each file. Nothing waits, nothing is read without an end, and nothing is made or
// changed behind a link.
func TestFilesThatWereReplaced(t *testing.T) {
	target := filepath.Join(t.TempDir(), "target")
	for what, replace := range map[string]func(path string) error{
		"a pipe":            func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link to nothing": func(path string) error { return os.Symlink(target, path) },
		"a device":          func(path string) error { return os.Symlink("/dev/zero", path) },
		"a large file": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<30))
		},
		"a directory": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		for _, suffix := range []string{".json", ".lock"} {
			s := open(t)
			path := filepath.Join(s.dir, "drafts", hash("/project"), fileName("session")+suffix)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), replace(path)); err != nil {
				t.Fatal(err)
			}
			d, saved, err := s.Draft("/project", "session", true)
			if err != nil {
				continue // the chat goes on without drafts
			}
			if !saved.empty() {
				t.Errorf("%s as %s: %v", what, suffix, saved)
			}
			d.Save(Saved{Text: "secret"})
			_ = d.Close() // it may say that the place is taken
		}
		s := open(t)
		h := s.History("/project")
		if err := replace(h.path); err != nil {
			t.Fatal(err)
		}
		if texts, err := h.Load(); len(texts) != 0 {
			t.Errorf("%s as a history: %q, %v", what, texts, err)
		}
		_ = h.Add("secret", time.Now()) // as above
		if _, err := os.Lstat(target); err == nil {
			t.Fatalf("%s: a file was made behind a link", what)
		}
	}
}
