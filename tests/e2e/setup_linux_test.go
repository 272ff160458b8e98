package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/tests/claudecli"
	"betcode/tests/model"
)

// findings returns the findings of 'doctor', by their ids.
func (s *story) findings(want int, args ...string) map[string]map[string]any {
	s.Helper()
	all := map[string]map[string]any{}
	for _, f := range s.cliJSON(want, append([]string{"doctor", "--json"}, args...)...)["findings"].([]any) {
		f := f.(map[string]any)
		all[f["id"].(string)] = f
	}
	return all
}

// doctor reports problems and repairs those that cannot lose data.
func TestDoctor(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "ANTHROPIC_API_KEY=none")
	all := s.findings(0)
	for id, f := range all {
		if f["severity"] == "problem" {
			t.Errorf("%s: %v", id, f)
		}
	}
	if f := all["daemon.running"]; f["severity"] != "ok" {
		t.Errorf("a daemon runs, and doctor says %v", f)
	}
	if err := os.Chmod(s.world.StateDir(), 0o755); err != nil {
		t.Fatal(err)
	}
	if f := s.findings(1)["state.directory"]; f["severity"] != "problem" || f["fixable"] != true {
		t.Errorf("an open state directory: %v", f)
	}
	if f := s.findings(0, "--fix")["state.directory"]; f["severity"] != "ok" {
		t.Errorf("after --fix: %v", f)
	}
	if info, err := os.Stat(s.world.StateDir()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	s.daemon.Kill()
	if f := s.findings(0)["daemon.running"]; f["severity"] != "note" || !strings.Contains(f["mend"].(string), "daemon start") {
		t.Errorf("without a daemon: %v", f)
	}
	s.start()
}

// init leads a new user from nothing to a first answer.
func TestInit(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "ANTHROPIC_API_KEY=none")
	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	theirs := filepath.Join(s.world.Home, ".claude")
	if err := os.MkdirAll(theirs, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(theirs, "settings.json"), []byte(`{"permissions":{"allow":["Bash(ls)"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, code := s.command(s.world.Binary, []string{"init"}); code != 5 || !strings.Contains(said, "--yes") {
		t.Errorf("without a terminal: exit %d: %s", code, said)
	}
	term, cmd := s.terminal(s.world.Binary, "init")
	s.awaits(term, "Copy 1 file")
	s.types(term, "y\n")
	s.awaits(term, "1 of 1 files were copied")
	if _, err := os.Stat("/run/systemd/system"); err == nil {
		s.awaits(term, "as a service of your login?")
		s.types(term, "n\n")
	}
	s.awaits(term, "The daemon serves")
	s.awaits(term, "Start a first session")
	s.types(term, "y\n")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v; the screen:\n%s", err, term.Screen())
	}
	if n := len(s.cliJSON(0, "session", "list")["sessions"].([]any)); n != 1 {
		t.Errorf("%d sessions", n)
	}
	s.stopBackground()
}

// init ends with an answer of the real Claude Code. A history that is there becomes no session.
func TestInitWithTheRealAgent(t *testing.T) {
	t.Parallel()
	script, err := model.Parse([]byte(`{"about": "answers", "rules": [{"name": "first", "when": {"prompt": "What is in this directory"}, "reply": [{"text": "Nothing yet."}]}, {"name": "rest", "when": {"after": -1}, "reply": [{"text": "Done."}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	w, _ := scriptedWorld(t, binaries.betcode, script)
	s := storyIn(t, w)
	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	history := filepath.Join(s.world.Home, ".claude", "projects", "-there", "3f2a0000-0000-4000-8000-000000000001.jsonl")
	if err := os.MkdirAll(filepath.Dir(history), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(history, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	term, cmd := s.terminal(s.world.Binary, "init")
	s.awaits(term, "Claude Code "+claudecli.Version)
	if _, err := os.Stat("/run/systemd/system"); err == nil {
		s.awaits(term, "as a service of your login?")
		s.types(term, "n\n")
	}
	s.awaits(term, "Start a first session")
	s.types(term, "y\n")
	s.awaits(term, "Nothing yet.")
	s.awaits(term, "Next: betcode run -c")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v; the screen:\n%s", err, term.Screen())
	}
	if n := len(s.cliJSON(0, "session", "list")["sessions"].([]any)); n != 1 {
		t.Errorf("%d sessions", n)
	}
	s.stopBackground()
}
