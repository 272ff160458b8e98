package spool

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"betcode/messages"
)

// file is a spool under test.
type file struct {
	t    testing.TB
	path string
	f    *os.File
}

func newFile(t testing.TB) *file {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stdout")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &file{t, path, f}
}

func (f *file) write(s string) {
	f.t.Helper()
	if _, err := f.f.WriteString(s); err != nil {
		f.t.Fatal(err)
	}
}

func (f *file) open(offset int64, o Options) *Reader {
	f.t.Helper()
	r, err := Open(f.path, offset, o)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { r.Close() })
	return r
}

// rest reads until there is nothing more and returns the lines, a cut one as
// its size.
func rest(t testing.TB, r *Reader, maxBytes int) []string {
	t.Helper()
	var all []string
	for {
		b := next(t, r, maxBytes)
		all = append(all, show(b)...)
		if len(b.Lines) == 0 {
			if b.More {
				t.Fatal("no lines, and more of them")
			}
			return all
		}
	}
}

// next checks what every batch promises.
func next(t testing.TB, r *Reader, maxBytes int) Batch {
	t.Helper()
	from := r.Offset()
	b, err := r.Next(maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	if b.From != from || b.To != r.Offset() {
		t.Fatalf("batch %d to %d, reader %d to %d", b.From, b.To, from, r.Offset())
	}
	at := b.From
	for _, line := range b.Lines {
		if !line.Cut && int64(len(line.Bytes)) != line.Size || line.Cut && line.Bytes != nil {
			t.Fatalf("%d bytes, size %d, cut %v", len(line.Bytes), line.Size, line.Cut)
		}
		if at += line.Size + 1; at != line.End {
			t.Fatalf("a line ends at %d, not %d", line.End, at)
		}
	}
	if at != b.To {
		t.Fatalf("the lines end at %d, the batch at %d", at, b.To)
	}
	return b
}

func show(b Batch) []string {
	all := make([]string, len(b.Lines))
	for i, line := range b.Lines {
		all[i] = string(line.Bytes)
		if line.Cut {
			all[i] = fmt.Sprintf("cut %d", line.Size)
		}
	}
	return all
}

func wantLines(t testing.TB, got []string, want ...string) {
	t.Helper()
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Fatalf("got  %.300q\nwant %.300q", got, want)
	}
}

func wantKind(t testing.TB, err error, kind messages.Kind) {
	t.Helper()
	if err == nil || messages.KindOf(err) != kind {
		t.Fatalf("error %v, want kind %v", err, kind)
	}
}
