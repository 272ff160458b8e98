package spool

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// However the writes are split, whatever is read when, and wherever the reader
// crashes and starts again from what was committed: the lines are the same.
func TestAnyInterleavingGivesTheLines(t *testing.T) {
	dir := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		content := rapid.SliceOfN(rapid.SampledFrom([]byte("ab\n\n\xc3\xa9\r")), 0, 300).Draw(t, "content")
		o := Options{
			MaxLine: rapid.IntRange(1, 20).Draw(t, "max line"),
			Chunk:   rapid.IntRange(1, 16).Draw(t, "chunk"),
		}
		path := filepath.Join(dir, fmt.Sprint(runs))
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(path)
		defer f.Close()
		r := reopen(t, path, 0, o)
		defer func() { r.Close() }()

		var got []string
		committed := int64(0)
		read := func() bool {
			b, err := r.Next(rapid.IntRange(0, 40).Draw(t, "budget"))
			if err != nil {
				t.Fatal(err)
			}
			if b.From != committed {
				t.Fatalf("batch from %d, committed %d", b.From, committed)
			}
			if rapid.IntRange(0, 9).Draw(t, "crash before commit") == 0 {
				r.Close()
				r = reopen(t, path, committed, o)
				return true
			}
			got, committed = append(got, show(b)...), b.To
			if rapid.IntRange(0, 9).Draw(t, "crash after commit") == 0 {
				r.Close()
				r = reopen(t, path, committed, o)
				return true
			}
			return len(b.Lines) > 0
		}
		for left := content; len(left) > 0; {
			n := rapid.IntRange(1, len(left)).Draw(t, "written")
			f.Write(left[:n])
			left = left[n:]
			read()
		}
		for read() {
		}
		tail, err := r.Tail()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, show(tail)...)
		if want := expected(content, o.MaxLine); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
		if r.Offset() != int64(len(content)) {
			t.Fatalf("ended at %d of %d", r.Offset(), len(content))
		}
	})
}

func reopen(t *rapid.T, path string, offset int64, o Options) *Reader {
	r, err := Open(path, offset, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// expected is the oracle: the same, from the whole content at once.
func expected(content []byte, maxLine int) []string {
	var all []string
	for line := range bytes.SplitSeq(content, []byte("\n")) {
		s := string(line)
		if len(line) > maxLine {
			s = fmt.Sprintf("cut %d", len(line))
		}
		all = append(all, s)
	}
	if all[len(all)-1] == "" { // nothing behind the last newline
		all = all[:len(all)-1]
	}
	return all
}

// Lines as a stream of deltas has them, read as fast as they come.
func BenchmarkNext(b *testing.B) {
	const lines = 100_000
	line := bytes.Repeat([]byte("x"), 299)
	path := filepath.Join(b.TempDir(), "stdout")
	content := bytes.Repeat(append(line, '\n'), lines)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := Open(path, 0, Options{})
		if err != nil {
			b.Fatal(err)
		}
		for seen := 0; seen < lines; {
			batch, err := r.Next(0)
			if err != nil {
				b.Fatal(err)
			}
			seen += len(batch.Lines)
		}
		r.Close()
	}
}
