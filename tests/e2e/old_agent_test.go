package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/messages/claudecode"
	"betcode/tests/kit"
)

// agentScript returns an agent that prints a version on request, and otherwise runs a line of
// shell.
func agentScript(t *testing.T, version, then string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "claude")
	script := "#!/bin/sh\n[ \"$1\" = --version ] && { echo '" + version + " (Claude Code)'; exit; }\n" + then + "\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestUnsupportedVersion: the daemon reports an agent that is too old before the first turn, with
// the command for the upgrade, and does not start it.
func TestUnsupportedVersion(t *testing.T) {
	t.Parallel()
	started := filepath.Join(t.TempDir(), "started")
	s := newStory(t, agentScript(t, "1.0.60", "touch "+started+"\nexec '"+binaries.fake+"' \"$@\""))
	s.eventually("status tells of the version", func() bool {
		said, _ := s.command(s.world.Binary, []string{"daemon", "status"})
		return strings.Contains(said, "1.0.60 is not supported") && strings.Contains(said, claudecode.UpgradeCommand())
	})
	if said, code := s.command(s.world.Binary, []string{"version"}); code != 0 || !strings.Contains(said, claudecode.UpgradeCommand()) {
		t.Errorf("version: exit %d\n%s", code, said)
	}
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:hello")
	e, _ := s.wait(c, 0, isError("AGENT_VERSION_UNSUPPORTED"))
	if text := e.GetError().GetMessage() + e.GetError().GetDetails()["reason"]; !strings.Contains(text, claudecode.UpgradeCommand()) || !strings.Contains(text, "1.0.60") {
		t.Errorf("the error does not say what to do: %v", e.GetError())
	}
	if got := s.show(id); got.GetCondition() != "agent_version_unsupported" {
		t.Errorf("%v", got)
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("the agent was started")
	}
}

// TestStartRefused: an agent that refuses to start is started once, and its standard error is
// shown.
func TestStartRefused(t *testing.T) {
	t.Parallel()
	starts := filepath.Join(t.TempDir(), "starts")
	s := newStory(t, agentScript(t, "2.1.119", "echo x >>"+starts+"\necho 'error: unknown option --no-such-thing' >&2\nexit 1"))
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:hello")
	e, next := s.wait(c, 0, isError("AGENT_START_REFUSED"))
	if !strings.Contains(e.GetError().GetDetails()["reason"], "unknown option --no-such-thing") {
		t.Errorf("the error does not show what it wrote: %v", e.GetError())
	}
	if raw, err := os.ReadFile(starts); err != nil || strings.Count(string(raw), "x") != 1 {
		t.Errorf("started %q times, %v", raw, err)
	}
	// A person has it tried again.
	s.say(c, "echo:again")
	s.wait(c, next, func(e kit.Event) bool { return isError("AGENT_START_REFUSED")(e) })
}
