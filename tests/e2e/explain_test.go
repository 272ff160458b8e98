package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// After an edit of settings.json explain answers by the new rules.
func TestExplainReadsTheRulesAgain(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	explain := func() string { return s.cli(0, "permission", "explain", "Bash", "make") }
	for _, step := range []struct{ settings, begins, says string }{
		{`{"permissions": {"deny": ["Bash(make *)"]}}`, "deny: ", "by deny Bash(make *)"},
		{`{"permissions": {"allow": ["Bash(make *)"]}}`, "allow: ", "by allow Bash(make *)"},
		{`{"permissions": `, "allow: ", "note: settings cannot be read, the former ones stay in force: "},
		{`{}`, "ask: ", ""},
	} {
		if err := os.WriteFile(filepath.Join(s.world.ConfigDir(), "settings.json"), []byte(step.settings), 0o600); err != nil {
			t.Fatal(err)
		}
		if said := explain(); !strings.HasPrefix(said, step.begins) || !strings.Contains(said, step.says) {
			t.Errorf("after %s: %s", step.settings, said)
		}
	}
}
