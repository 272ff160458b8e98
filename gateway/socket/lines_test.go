package socket

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLines(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r },
		// a character of three bytes arrives in three reads
		"byte by byte": iotest.OneByteReader,
	} {
		in := newLines(r(strings.NewReader("{\"a\":\"€\"}\r\n\n  \n {} \ncut off")))
		for _, want := range []string{`{"a":"€"}`, `{}`} {
			if got, err := in.next(); err != nil || string(got) != want {
				t.Errorf("%s: %q %v", name, got, err)
			}
		}
		if got, err := in.next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: a line without an end: %q %v", name, got, err)
		}
	}
}

func TestLongLines(t *testing.T) {
	t.Parallel()
	fits := strings.Repeat("x", maxLine)
	in := newLines(io.MultiReader(strings.NewReader(fits), strings.NewReader("\n"), strings.NewReader(fits), strings.NewReader("yz\nnext\n")))
	if got, err := in.next(); err != nil || len(got) != maxLine {
		t.Errorf("a line of 20 MiB: %d bytes, %v", len(got), err)
	}
	if _, err := in.next(); !errors.Is(err, errLongLine) {
		t.Errorf("a longer line: %v", err)
	}
	if cap(in.buf) > maxLine+1<<20 {
		t.Errorf("%d bytes are kept", cap(in.buf))
	}
	if got, err := in.next(); err != nil || string(got) != "next" {
		t.Errorf("behind a longer line: %q %v", got, err)
	}
}
