package sidecar

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"betcode/messages"
)

// Stored abilities gain detail, survive a restart, and are not written after the
// session's directory is removed.
func TestAbilitiesAreRemembered(t *testing.T) {
	dir := t.TempDir()
	learn := func(a messages.Abilities) {
		t.Helper()
		if problem := LearnAbilities(dir, a); problem != nil {
			t.Error(problem)
		}
	}
	if a := ReadAbilities(dir); len(a.Commands) != 0 {
		t.Errorf("%+v", a)
	}
	learn(messages.Abilities{Commands: []messages.AgentCommand{{Name: "a"}}, Skills: []string{"a"}})
	learn(messages.Abilities{Fresh: true, Commands: []messages.AgentCommand{{Name: "a", Description: "A"}, {Name: "b"}}, Agents: []messages.AgentType{{Name: "x"}}, Models: []string{"m"}})
	want := messages.Abilities{Commands: []messages.AgentCommand{{Name: "a", Description: "A"}, {Name: "b"}}, Skills: []string{"a"}, Agents: []messages.AgentType{{Name: "x"}}, Models: []string{"m"}}
	if got := ReadAbilities(dir); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	path := filepath.Join(dir, abilitiesName)
	before, err := os.Stat(path)
	if err != nil || before.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", before, err)
	}
	learn(want)
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("written again: %v", err)
	}
	for _, text := range []string{"elephant", `{"format":99,"commands":[{"name":"c"}]}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if a := ReadAbilities(dir); len(a.Commands) != 0 {
			t.Errorf("%s: %+v", text, a)
		}
	}
	gone := filepath.Join(dir, "gone")
	if problem := LearnAbilities(gone, want); problem != nil {
		t.Error(problem)
	}
	if _, err := os.Stat(gone); err == nil {
		t.Error("a session that was deleted has a directory again")
	}
}
