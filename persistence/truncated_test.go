package persistence

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
)

// TestTruncatedFiles cuts each file of a journal at every page, and to nothing. It is
// opened as a daemon and as a reader do, verified and counted: the outcome is a typed
// error that names the file, or a report.
func TestTruncatedFiles(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(big(sid(1), 0, "premier"), full(sid(2), 0))
	f.seal()
	f.commit(big(sid(1), 40, "second"))
	f.checkpoint()
	f.close()
	for _, name := range []string{boltfile.Name(1), boltfile.Name(2), "1.log", "2.log", manifest.Name} {
		whole, err := os.ReadFile(f.path(name))
		if err != nil {
			t.Fatal(err)
		}
		step := max(len(whole)/12/boltfile.PageSize, 1) * boltfile.PageSize
		sizes := []int{1, 16, 100, boltfile.PageSize - 1, boltfile.PageSize + 1, 2*boltfile.PageSize - 1, 2*boltfile.PageSize + 100, 9000, len(whole) - 1}
		for size := 0; size < len(whole); size += step {
			sizes = append(sizes, size)
		}
		for _, size := range sizes {
			if size < 0 || size >= len(whole) {
				continue
			}
			if err := os.WriteFile(f.path(name), whole[:size], 0o600); err != nil {
				t.Fatal(err)
			}
			for _, readOnly := range []bool{true, false} {
				options := f.options
				options.ReadOnly = readOnly
				s, err := Open(options)
				if err != nil {
					var e *messages.Error
					if !errors.As(err, &e) || e.Kind != messages.DataLoss || e.Hint == "" || !strings.Contains(e.Error(), name) {
						t.Errorf("%s of %d bytes, read only %t: %v", name, size, readOnly, err)
					}
					continue
				}
				report, err := s.Verify(t.Context(), nil)
				if err != nil { // what is cut may be room that was not used
					t.Errorf("%s of %d bytes: verify: %v, %v", name, size, report, err)
				}
				s.Stats()
				for _, id := range []messages.SessionID{sid(1), sid(2)} {
					_, _ = s.Load(id)
					_, _ = s.Events(id, 0, 0, 0)
					_, _, _ = s.Salvaged(id, 0, 0, 0)
				}
				if err := s.Close(); err != nil && messages.KindOf(err) != messages.DataLoss {
					t.Errorf("%s of %d bytes: close: %v", name, size, err)
				}
			}
			if err := os.WriteFile(f.path(name), whole, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.open()
}

// TestHintsFitTheCause: a file that may not be read gets no hint about disk space.
func TestHintsFitTheCause(t *testing.T) {
	for _, c := range []struct {
		cause error
		want  string
	}{
		{&fs.PathError{Op: "open", Path: "1.log", Err: syscall.EACCES}, "owner"},
		{&fs.PathError{Op: "open", Path: "1.log", Err: syscall.EROFS}, "read-only"},
		{&fs.PathError{Op: "write", Path: "1.log", Err: syscall.ENOSPC}, "free space"},
		{&fs.PathError{Op: "write", Path: "1.log", Err: syscall.EIO}, "disk"},
	} {
		e := fault.As(fault.Storage(fault.OpOpen, c.cause))
		if !strings.Contains(e.Hint, c.want) || e.Kind != messages.Unavailable {
			t.Errorf("%v: %s, hint %q", c.cause, e.Kind, e.Hint)
		}
		if c.want == "owner" && strings.Contains(e.Hint, "space") {
			t.Errorf("%v: hint %q", c.cause, e.Hint)
		}
	}
}
