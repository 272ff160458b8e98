package trust

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
)

// Skills below a directory are reported after a search for them.
func TestNested(t *testing.T) {
	f := newTree(t)
	const skill = "---\nname: x\nallowed-tools: Bash(touch:*)\n---\n!`touch x`\n"
	f.write("p/.claude/skills/own/SKILL.md", skill)
	f.write("p/a/.claude/skills/x/SKILL.md", skill)
	f.write("p/a/b/c/.claude/skills/y/SKILL.md", skill)
	f.write("p/.claude/worktrees/w/.claude/skills/z/SKILL.md", skill)
	f.write("p/d/.claude/commands/no.md", skill)
	f.write("elsewhere/.claude/skills/l/SKILL.md", skill)
	if err := os.Symlink("../elsewhere", f.path("p/link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".", f.path("p/a/loop")); err != nil {
		t.Fatal(err)
	}
	want := []string{f.path("p/.claude/worktrees/w/.claude/skills"), f.path("p/a/.claude/skills"), f.path("p/a/b/c/.claude/skills"), f.path("p/a/loop/.claude/skills"), f.path("p/link/.claude/skills")}
	found, problems := Nested(f.path("p"))
	if !slices.Equal(found, want) || len(problems) > 0 {
		t.Errorf("found %q, %v", found, problems)
	}

	inspect := func(directory string, nested ...string) Report {
		r := Inspect(Place{Directory: f.path(directory), Own: f.path("home/.claude"), Nested: nested})
		for path := range r.Files {
			if !within(path, f.root) {
				delete(r.Files, path)
			}
		}
		return r
	}
	without, with := inspect("p"), inspect("p", found...)
	if len(without.Files) != 1 || len(with.Files) != 6 || !slices.Contains(f.findings(with), "p/a/b/c/.claude/skills/y/SKILL.md shell skill y runs touch x") {
		t.Errorf("%d files without, %d with: %q", len(without.Files), len(with.Files), f.findings(with))
	}

	var none Ledger
	before, err := none.Accept(without, time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if v := before.Judge(with); v.Trusted || !v.Known || len(v.Changes) == 0 {
		t.Errorf("nested skills that nobody has seen: %+v", v)
	}
	after, err := none.Accept(with, time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]Report{"as reviewed": with, "not searched": without, "some": inspect("p", found[1]), "from below": inspect("p/a")} {
		if v := after.Judge(r); !v.Trusted {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if got := after.Nested(f.path("p")); !slices.Equal(got, want) {
		t.Errorf("the ledger names %q", got)
	}
	if got := after.Nested(f.path("p/a")); !slices.Equal(got, []string{f.path("p/a/b/c/.claude/skills"), f.path("p/a/loop/.claude/skills")}) {
		t.Errorf("below a directory the ledger names %q", got)
	}
	f.write("p/a/b/c/.claude/skills/y/SKILL.md", skill+"!`touch y`\n")
	if v := after.Judge(inspect("p", found...)); v.Trusted {
		t.Error("a changed nested skill is trusted")
	}
	if err := os.Remove(f.path("p/.claude/skills/own/SKILL.md")); err != nil {
		t.Fatal(err)
	}
	if v := after.Judge(inspect("p")); v.Trusted {
		t.Error("a directory whose own skill is missing is trusted")
	}
}

// A directory that does not exist is reported as such.
func TestNestedMissing(t *testing.T) {
	gone := newTree(t).path("gone")
	if _, problems := Nested(gone); len(problems) != 1 || problems[0] != (Problem{gone, "does not exist"}) {
		t.Errorf("%v", problems)
	}
}

// Anything that a search cannot see is a problem, unless the agent cannot see it either.
func TestNestedUnseen(t *testing.T) {
	f := newTree(t)
	for n := range maxNested {
		f.write(fmt.Sprintf("many/%d/.claude/skills/x/SKILL.md", n), "x")
	}
	if _, problems := Nested(f.path("many")); len(problems) != 1 || problems[0].Path != f.path("many") {
		t.Errorf("at the limit: %v", problems)
	}
	r := Inspect(Place{Directory: f.mkdir("q"), Unseen: []Problem{{f.path("q/x"), "why"}}})
	if !slices.Contains(r.Problems, Problem{f.path("q/x"), "why"}) {
		t.Errorf("the report has the problems %v", r.Problems)
	}
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("every directory can be listed")
	}
	f.write("p/unlisted/.claude/skills/x/SKILL.md", "x")
	f.write("p/closed/.claude/skills/x/SKILL.md", "x")
	for name, mode := range map[string]os.FileMode{"p/unlisted": 0o311, "p/closed": 0} {
		if err := os.Chmod(f.path(name), mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(f.path(name), 0o700) })
	}
	found, problems := Nested(f.path("p"))
	if !slices.Equal(found, []string{f.path("p/unlisted/.claude/skills")}) || len(problems) != 1 || problems[0].Path != f.path("p/unlisted") {
		t.Errorf("found %q, %v", found, problems)
	}
}
