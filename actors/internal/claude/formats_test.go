package claude

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"betcode/messages"
)

// TestStatesOfEveryFormatOpen keeps a state of every format that has been
// written to a disk.
func TestStatesOfEveryFormatOpen(t *testing.T) {
	var s State
	for _, l := range fragments(t)[:100] {
		s, _ = Translate(s, l, recorded)
	}
	newest := filepath.Join("testdata", "states", fmt.Sprintf("v%d.json", stateVersion))
	if _, err := os.Stat(newest); err != nil && *update {
		if err := os.WriteFile(newest, s.Marshal(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob("testdata/states/v*.json")
	if len(files) != stateVersion {
		t.Fatalf("%d files for %d formats", len(files), stateVersion)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ParseState(b)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if s.AgentSession() == "" || s.Counters().Lines == 0 {
			t.Errorf("%s: something is missing: %s", file, s.Marshal())
		}
	}
}

func TestStatesThatDoNotOpen(t *testing.T) {
	for b, want := range map[string]messages.Kind{
		`{"v":2}`: messages.Unimplemented, `{}`: messages.DataLoss, `{"v":0}`: messages.DataLoss, `x`: messages.DataLoss,
		`{"v":1,"calls":5}`: messages.DataLoss, `[]`: messages.DataLoss,
	} {
		if _, err := ParseState([]byte(b)); err == nil || messages.KindOf(err) != want {
			t.Errorf("%s: %v, want %v", b, err, want)
		}
	}
	s, err := ParseState(nil)
	if err != nil || !bytes.Equal(s.Marshal(), State{}.Marshal()) {
		t.Errorf("no bytes are not the zero state: %s, %v", s.Marshal(), err)
	}
}
