package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/config"
)

func TestUnknownTools(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	content := "{\"permissions\": {\n\"allow\": [\"Bash(ls)\", \"mcp__x__y\", \"bash(ls)\"],\n\"deny\": [\"Baash(rm *)\", \"mcp__*\", \"WebFetch\"]}}"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := config.ReadFile(path, config.FromUser)
	if err != nil {
		t.Fatal(err)
	}
	got := unknownTools(file)
	if len(got) != 2 {
		t.Fatalf("%v", got)
	}
	for i, want := range []string{":2: allow rule bash(ls): this version of betcode knows no tool bash, so the rule matches nothing; its name is Bash", ":3: deny rule Baash(rm *)"} {
		if !strings.Contains(got[i].Error(), want) {
			t.Errorf("%q does not say %q", got[i], want)
		}
	}
}
