package flags

import "testing"

func TestAbbreviates(t *testing.T) {
	for word, want := range map[string]bool{
		"--template": true, "--template=x": true, "--te": true, "--t": true, "--": false, "--templates": false, "-t": false, "": false, "--x=--template": false,
	} {
		if got := Abbreviates(word, "--exec", "--template"); got != want {
			t.Errorf("%q: %v", word, got)
		}
	}
}

func TestBundled(t *testing.T) {
	for word, want := range map[string]bool{
		"-x": true, "-qx": true, "-qxval": true, "-bx": false, "-qbx": false, "--x": false, "-": false, "x": false, "": false,
	} {
		if got := Bundled(word, "x", "b"); got != want {
			t.Errorf("%q: %v", word, got)
		}
	}
}
