package cli

import (
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/exit"
)

// Errors on the command line differ from failures, and no invalid value becomes a default.
func TestSubagentMistakes(t *testing.T) {
	serveFake(t, &fakeDaemon{})
	for _, c := range []struct{ line, names string }{
		{"subagent list", "--all"},
		{"subagent spawn --timeout -5m s prompt", "--timeout -5m0s is negative"},
		{"subagent spawn --auto-approve-time -1s s prompt", "--auto-approve-time -1s is negative"},
	} {
		if code, _, stderr := command(t, "", strings.Fields(c.line)...); code != exit.Invalid || !strings.Contains(stderr, c.names) {
			t.Errorf("%s: exit %d, %s", c.line, code, stderr)
		}
	}
}
