package transcript

import (
	"io"
	"strings"
	"testing"
)

// endless is a transcript that never ends, and has no line in it.
type endless struct{ read int64 }

func (e *endless) Read(b []byte) (int, error) {
	clear(b)
	e.read += int64(len(b))
	return len(b), nil
}

// TestLongRecords: a line that is too long is left out, those around it are read.
func TestLongRecords(t *testing.T) {
	answer := `{"type":"assistant","uuid":"one"}` + "\n"
	long := strings.Repeat("x", maxRecord+1) + "\n"
	got, err := LastAnswer(io.MultiReader(strings.NewReader(long), strings.NewReader(answer), strings.NewReader(long)))
	if got != "one" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	known, err := Read(io.MultiReader(strings.NewReader(long), strings.NewReader(`{"type":"user","uuid":"k"}`)), []string{"k"})
	if !known.Known["k"] || err != nil {
		t.Errorf("%v, %v", known.Known, err)
	}
}

// TestEndlessTranscript: reading ends, and does not keep what it has read.
func TestEndlessTranscript(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 4 GB of nothing")
	}
	source := &endless{}
	if _, err := LastAnswer(source); err == nil || source.read > maxTranscript+(1<<20) {
		t.Errorf("%v after %d bytes", err, source.read)
	}
}
