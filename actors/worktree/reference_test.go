package worktree

import (
	"strings"
	"testing"

	"betcode/messages"
)

// TestHintsNameWorktrees: a hint names a worktree as people do, by its name, and by the beginning of its id when another worktree
// has the name. Either is a reference that finds it.
func TestHintsNameWorktrees(t *testing.T) {
	r, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const one, two, three = "11111111-0000-4000-8000-000000000001", "22222222-0000-4000-8000-000000000002", "33333333-0000-4000-8000-000000000003"
	for id, name := range map[string]string{one: "fix it", two: "parser", three: "parser"} {
		r.records[id] = record{ID: id, Name: name, Path: "/gone/" + id, Common: "/" + id, State: messages.WorktreeReady}
	}
	for id, want := range map[string]string{one: "'fix it'", two: "22222222", three: "33333333"} {
		if got := r.Reference(id); got != want {
			t.Errorf("%s is called %s, want %s", id, got, want)
		}
		if rec, err := r.find("find", strings.Trim(want, "'")); err != nil || rec.ID != id {
			t.Errorf("%s finds %s, %v", want, rec.ID, err)
		}
		_, _, err := r.Usable("use", id)
		if hint := messages.AsError("use", err).Hint; hint != "Remove it: betcode worktree remove "+want {
			t.Errorf("hint %q", hint)
		}
	}
	if got := r.Reference("unknown"); got != "unknown" {
		t.Errorf("an unknown worktree is called %s", got)
	}
}
