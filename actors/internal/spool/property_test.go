package spool

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"betcode/messages"
)

// faulty is a file on a disk that does not answer now and then: a read fails, at once or
// behind some bytes, and so does a stat of the file.
type faulty struct {
	File
	fails func(what string) bool
}

func (f faulty) ReadAt(b []byte, at int64) (int, error) {
	if f.fails("read fails") {
		n, _ := f.File.ReadAt(b[:len(b)/2], at)
		return n, syscall.EIO
	}
	return f.File.ReadAt(b, at)
}

func (f faulty) Stat() (fs.FileInfo, error) {
	if f.fails("look fails") {
		return nil, syscall.EIO
	}
	return f.File.Stat()
}

// However the writes are split, whatever is read when, wherever the reader
// crashes and starts again from what was committed, and whenever the disk does not
// answer: the lines are the same.
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
		if rapid.Bool().Draw(t, "bad disk") {
			fails := func(what string) bool { return rapid.IntRange(0, 4).Draw(t, what) == 0 }
			o.Open = func(path string) (File, error) {
				if fails("opening fails") {
					return nil, syscall.EIO
				}
				f, err := os.Open(path)
				return faulty{f, fails}, err
			}
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
			if err != nil && o.Open != nil && messages.KindOf(err) == messages.Unavailable {
				return true
			}
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
		for ; err != nil; tail, err = r.Tail() {
			if o.Open == nil || messages.KindOf(err) != messages.Unavailable {
				t.Fatal(err)
			}
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
	for {
		r, err := Open(path, offset, o)
		if err == nil {
			return r
		}
		if o.Open == nil || messages.KindOf(err) != messages.Unavailable {
			t.Fatal(err)
		}
	}
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
