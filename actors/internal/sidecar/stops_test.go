package sidecar

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"betcode/actors/internal/notes"
	"betcode/messages"
)

func TestStopsAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "stops")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := LoadStops(dir)
	must(err)
	s.Want("a", 7)
	s.Want("b", 1)
	must(s.Save("a"))
	must(s.Save("b"))
	s.Drop("b")
	must(s.Save("b"))
	must(s.Save("b")) // it may be late
	must(os.WriteFile(filepath.Join(dir, "torn"), []byte(`{"for`), 0o600))
	must(os.WriteFile(filepath.Join(dir, "c"+notes.Half), []byte(`{"format":1,"run":1}`), 0o600))

	s, err = LoadStops(dir)
	must(err)
	for id, want := range map[messages.SessionID]messages.RunNumber{"a": 7, "torn": math.MaxUint64} {
		if run, wanted := s.Of(id); !wanted || run != want {
			t.Errorf("%s: %d, %v", id, run, wanted)
		}
	}
	if len(s.wanted) != 2 {
		t.Errorf("%v", s.wanted)
	}
}
