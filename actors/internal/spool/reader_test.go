package spool

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"betcode/messages"
)

func TestReaderWaitsForTheNewline(t *testing.T) {
	f := newFile(t)
	r := f.open(0, Options{})
	wantLines(t, rest(t, r, 0))
	f.write("one\ntwo")
	wantLines(t, rest(t, r, 0), "one")
	wantLines(t, rest(t, r, 0))
	f.write("fold\r\n\nthree\n")
	wantLines(t, rest(t, r, 0), "twofold\r", "", "three")
	if behind, err := r.Behind(); behind != 0 || err != nil {
		t.Fatalf("%d bytes behind, %v", behind, err)
	}
}

func TestReaderKeepsToItsBudget(t *testing.T) {
	f := newFile(t)
	for i := range 100 {
		f.write(fmt.Sprintf("line %02d\n", i))
	}
	r := f.open(0, Options{})
	b := next(t, r, 25)
	wantLines(t, show(b), "line 00", "line 01", "line 02")
	if !b.More {
		t.Fatal("there is more")
	}
	// A budget smaller than a line still gives that line.
	b = next(t, r, 1)
	if len(b.Lines) == 0 || string(b.Lines[0].Bytes) != "line 03" {
		t.Fatalf("got %q", show(b))
	}
}

func TestReaderReopens(t *testing.T) {
	f := newFile(t)
	f.write("héllo\nwörld\nto")
	r := f.open(0, Options{Chunk: 2}) // borders inside the letters
	first := next(t, r, 3)
	wantLines(t, show(first), "héllo")
	wantLines(t, rest(t, f.open(first.To, Options{Chunk: 3}), 1), "wörld")
	if _, err := Open(f.path, first.To+1, Options{}); messages.KindOf(err) != messages.DataLoss {
		t.Fatalf("opened in the middle of a line: %v", err)
	}
}

func TestReaderCutsWhatIsTooLong(t *testing.T) {
	for _, size := range []int{99, 100, 101, 1000, 5000} {
		f := newFile(t)
		f.write("a\n" + strings.Repeat("x", size) + "\nb\n" + strings.Repeat("y", 50))
		want := fmt.Sprintf("cut %d", size)
		if size <= 100 {
			want = strings.Repeat("x", size)
		}
		for _, chunk := range []int{1, 7, 64, 1 << 20} {
			for _, budget := range []int{1, 100, 1 << 20} {
				r := f.open(0, Options{MaxLine: 100, Chunk: chunk})
				wantLines(t, rest(t, r, budget), "a", want, "b")
				if cap(r.pending) > 4096 {
					t.Fatalf("%d bytes kept", cap(r.pending))
				}
			}
		}
	}
}

func TestReaderCutsAcrossCalls(t *testing.T) {
	f := newFile(t)
	r := f.open(0, Options{MaxLine: 10, Chunk: 4})
	for range 10 {
		f.write("0123456789")
		wantLines(t, rest(t, r, 4))
		if len(r.pending) > 14 {
			t.Fatalf("%d bytes pending", len(r.pending))
		}
	}
	f.write("\nnext\n")
	wantLines(t, rest(t, r, 4), "cut 100", "next")
}

func TestTail(t *testing.T) {
	f := newFile(t)
	r := f.open(0, Options{})
	f.write("whole\n{\"torn")
	_, err := r.Tail()
	wantKind(t, err, messages.WrongState)
	wantLines(t, rest(t, r, 0), "whole")
	b, err := r.Tail()
	if err != nil || b.From != 6 || b.To != 12 || len(b.Lines) != 1 || string(b.Lines[0].Bytes) != `{"torn` {
		t.Fatalf("tail %+v, %v", b, err)
	}
	if b, err = r.Tail(); err != nil || len(b.Lines) != 0 || b.From != b.To {
		t.Fatalf("second tail %+v, %v", b, err)
	}
	// A reader of the ended run's spool finds nothing behind the tail.
	again := f.open(b.To, Options{})
	wantLines(t, rest(t, again, 0))
	if b, err := again.Tail(); err != nil || len(b.Lines) != 0 {
		t.Fatalf("third tail %+v, %v", b, err)
	}
}

func TestReaderNoticesLoss(t *testing.T) {
	for name, harm := range map[string]func(f *file){
		"shrunk":   func(f *file) { os.Truncate(f.path, 4) },
		"removed":  func(f *file) { os.Remove(f.path) },
		"replaced": func(f *file) { os.Remove(f.path); os.WriteFile(f.path, []byte("one\ntwo\n"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFile(t)
			f.write("one\ntwo\n")
			r := f.open(0, Options{})
			wantLines(t, rest(t, r, 0), "one", "two")
			harm(f)
			_, err := r.Next(0)
			wantKind(t, err, messages.DataLoss)
		})
	}
	f := newFile(t)
	f.write("one\n")
	_, err := Open(f.path, 5, Options{})
	wantKind(t, err, messages.DataLoss)
	_, err = Open(f.path+"2", 0, Options{})
	wantKind(t, err, messages.NotFound)
	_, err = Open(f.path, -1, Options{})
	wantKind(t, err, messages.Invalid)
}

// A batch is valid until the next is read: it shares its memory with nothing else, and
// lines cannot be written beyond their ends.
func TestBatchIsGoodUntilTheNext(t *testing.T) {
	f := newFile(t)
	f.write("first\nsec")
	r := f.open(0, Options{})
	b := next(t, r, 0)
	f.write("ond\nthird\n")
	wantLines(t, show(b), "first")
	b = next(t, r, 0)
	wantLines(t, show(b), "second", "third")
	if line := b.Lines[0].Bytes; cap(line) != len(line) {
		t.Fatal("a line can be written beyond its end")
	}
}

// A busy reader reads into the memory of the batch before; an idle one keeps almost none.
func TestReaderKeepsLittleMemory(t *testing.T) {
	f := newFile(t)
	line := strings.Repeat("x", 99) + "\n"
	f.write(strings.Repeat(line, 10_000))
	r := f.open(0, Options{})
	next(t, r, 32<<10)
	if allocated := testing.AllocsPerRun(20, func() { next(t, r, 32<<10) }); allocated > 3 {
		t.Errorf("a batch of 32 KiB allocates %v times", allocated)
	}
	rest(t, r, 32<<10)
	if kept := cap(r.memory) + cap(r.pending); kept > restMemory {
		t.Errorf("a reader that rests keeps %d bytes", kept)
	}
}

// A line of 20 MB that arrives in pieces is read once: what Next reads adds up
// to the file.
func TestLongLineIsReadOnce(t *testing.T) {
	f := newFile(t)
	r := f.open(0, Options{})
	piece := strings.Repeat("x", 64<<10)
	allocated := testing.AllocsPerRun(1, func() {
		for range 160 {
			f.write(piece)
			next(t, r, 256<<10)
		}
	})
	if allocated > 160*12 {
		t.Errorf("%v allocations", allocated)
	}
	f.write("\n")
	b := next(t, r, 256<<10)
	if len(b.Lines) != 1 || b.Lines[0].Size != 2*160*64<<10 {
		t.Fatalf("%d lines", len(b.Lines))
	}
}
