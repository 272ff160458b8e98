package claudecli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPinsHoldContent checks that an installation with another content than the
// pinned one is refused, and so is one that npm did not record.
func TestPinsHoldContent(t *testing.T) {
	const other = "sha512-AAAA"
	for name, test := range map[string]struct {
		version, recorded string
		wrong             string // part of the error; empty = none
	}{
		"as pinned":       {Version, record(pins[Version][Package]), ""},
		"another content": {Version, record(other), "pinned is"},
		"nothing":         {Version, "", "recorded no integrity"},
		"no such package": {Version, `{"packages":{}}`, "did not record"},
		"not pinned":      {"9.9.9", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			prefix := t.TempDir()
			if err := os.Mkdir(filepath.Join(prefix, "node_modules"), 0o755); err != nil {
				t.Fatal(err)
			}
			if test.recorded != "" {
				if err := os.WriteFile(filepath.Join(prefix, "node_modules", ".package-lock.json"), []byte(test.recorded), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := checkIntegrity(prefix, test.version)
			switch {
			case test.wrong == "" && err != nil:
				t.Error(err)
			case test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)):
				t.Errorf("error = %v, want one that says %q", err, test.wrong)
			}
		})
	}
}

func record(integrity string) string {
	return `{"packages":{"node_modules/` + Package + `":{"integrity":"` + integrity + `"}}}`
}

// TestThePinnedVersionIsPinned checks that the version that most tests run has
// its content pinned too.
func TestThePinnedVersionIsPinned(t *testing.T) {
	if pins[Version][Package] == "" || pins[Version][Package+"-linux-x64"] == "" {
		t.Errorf("pins.json has no integrity of %s", Version)
	}
}

// TestEnsureRefusesWhatIsNoVersion checks that nothing but a version becomes a
// path or an argument of npm.
func TestEnsureRefusesWhatIsNoVersion(t *testing.T) {
	for _, version := range []string{"", "latest", "../x", "2.1", "2.1.328 --flag"} {
		if _, err := EnsureVersion(t.Context(), version, nil); err == nil {
			t.Errorf("version %q was accepted", version)
		}
	}
}
