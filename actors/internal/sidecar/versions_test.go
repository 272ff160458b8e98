package sidecar

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Facts about versions are known to the next daemon; a file that cannot be read counts as missing, and is replaced.
func TestVersionsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent-versions.json")
	v, err := LoadVersions(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"2.1.20", "2.0.77", "2.1.20"} {
		before := v.NotContinuing()
		was := slices.Clone(before)
		if err := v.Add(version); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(before, was) {
			t.Errorf("a list that was handed out has changed from %q to %q", was, before)
		}
	}
	want := []string{"2.0.77", "2.1.20"}
	if v, err = LoadVersions(path); err != nil || !slices.Equal(v.NotContinuing(), want) {
		t.Errorf("%q, %v", v.NotContinuing(), err)
	}
	for _, text := range []string{"elephant", `{"format":99,"not_continuing":["1"]}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := LoadVersions(path)
		if err == nil || len(v.NotContinuing()) != 0 {
			t.Errorf("%s: %q, %v", text, v.NotContinuing(), err)
		}
		if err := v.Add("2.2.0"); err != nil {
			t.Error(err)
		}
		if v, err = LoadVersions(path); err != nil || len(v.NotContinuing()) != 1 {
			t.Errorf("%s: replaced by %q, %v", text, v.NotContinuing(), err)
		}
	}
	nowhere, _ := LoadVersions("")
	if err := nowhere.Add("2.1.20"); err != nil || len(nowhere.NotContinuing()) != 1 {
		t.Errorf("%q, %v", nowhere.NotContinuing(), err)
	}
}
