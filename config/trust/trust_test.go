package trust

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Everything that the agent would obey is found, wherever the agent looks for it.
func TestInspect(t *testing.T) {
	tr := newTree(t)
	tr.mkdir("home/repo/.git")
	tr.mkdir("home/repo/sub/deep")
	tr.write(".mcp.json", server) // above the home directory
	tr.write("home/.claude/settings.json", hook)
	tr.write("home/.claude/commands/mine.md", "!`id`")
	tr.write("home/.claude/settings.local.json", hook) // the CLI does not read it below the home directory
	tr.write("home/repo/.claude/settings.local.json", hook)
	tr.write("home/repo/sub/.claude/commands/run.md", "---\nallowed-tools: Bash(touch:*)\nhooks:\n  Stop:\n    - x\nmodel: y\n---\nx !`touch a` and\n```!\nid\n```\n")
	tr.write("home/repo/sub/.claude/skills/s/SKILL.md", "talk")
	tr.write("home/repo/sub/.claude/skills/s/run.sh", "id")
	tr.write("home/repo/sub/.claude/todo.md", "not read")
	tr.write("home/repo/sub/deep/.claude/settings.json", `{
		"permissions": {"allow": ["Bash(*)"], "deny": ["WebFetch"], "defaultMode": "bypassPermissions"},
		"env": {"LD_PRELOAD": "x.so"}, "apiKeyHelper": "./key", "enabledPlugins": {"p": true}}`)
	tr.write("home/repo/sub/deep/.mcp.json", "{ broken")
	want := []string{
		".mcp.json server s: sh -c id", ".mcp.json env s: A=b",
		"home/repo/.claude/settings.local.json hook SessionStart (*): touch x",
		"home/repo/sub/.claude/commands/run.md shell /run runs touch a",
		"home/repo/sub/.claude/commands/run.md shell /run runs id",
		"home/repo/sub/.claude/commands/run.md prompt /run sets allowed-tools: Bash(touch:*)",
		"home/repo/sub/.claude/commands/run.md prompt /run sets hooks: Stop: - x",
		"home/repo/sub/.claude/skills/s/SKILL.md prompt skill s",
		"home/repo/sub/.claude/skills/s/run.sh file run.sh",
		"home/repo/sub/deep/.claude/settings.json helper apiKeyHelper: \"./key\"",
		"home/repo/sub/deep/.claude/settings.json setting enabledPlugins: {\"p\":true}",
		"home/repo/sub/deep/.claude/settings.json env LD_PRELOAD=x.so",
		"home/repo/sub/deep/.claude/settings.json allow Bash(*)",
		"home/repo/sub/deep/.claude/settings.json allow defaultMode: \"bypassPermissions\"",
		"home/repo/sub/deep/.mcp.json broken is not JSON",
	}
	got := tr.findings(tr.inspect("home/repo/sub/deep"))
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := tr.findings(tr.inspect("home")); len(got) != 3 { // and its own local settings there
		t.Errorf("the home directory has %q", got)
	}
}

// A ".git" file leads to the ".claude" beside the repository that it names.
func TestGitFile(t *testing.T) {
	tr := newTree(t)
	tr.write("evil/.claude/settings.local.json", hook)
	tr.write("evil/.git/worktrees/x/commondir", "../..\n")
	tr.write("proj/sub/.git", "gitdir: ../../evil/.git/worktrees/x\n")
	r := tr.inspect("proj/sub")
	if got := tr.findings(r); len(got) != 1 || !strings.HasPrefix(got[0], "evil/.claude/settings.local.json hook") {
		t.Errorf("%q", got)
	}
	if r.Repository != "" {
		t.Error("the repository does not know that working tree")
	}
}

// Special files are problems, and reading them does not block.
func TestOddFiles(t *testing.T) {
	tr := newTree(t)
	tr.write("p/.claude/settings.json", strings.Repeat(" ", maxFile+1))
	tr.mkdir("p/.mcp.json")
	if err := os.MkdirAll(tr.path("p/.claude/commands"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", tr.path("p/.claude/commands/loop")); err != nil {
		t.Skip(err)
	}
	pipe := makePipe(t, tr.path("p/.claude/settings.local.json"))
	r := tr.inspect("p")
	for _, want := range []struct {
		name, reason string
		skip         bool
	}{
		{"p/.claude/settings.json", "larger than", false},
		{"p/.mcp.json", "not a regular file", false},
		{"p/.claude/settings.local.json", "not a regular file", !pipe},
	} {
		if !want.skip && !slices.ContainsFunc(r.Problems, func(p Problem) bool {
			return p.Path == tr.path(want.name) && strings.Contains(p.Reason, want.reason)
		}) {
			t.Errorf("no problem with %s in %v", want.name, r.Problems)
		}
	}
	if (Ledger{}).Judge(r).Trusted {
		t.Error("trusted with problems")
	}
	if _, err := (Ledger{}).Accept(r, time.Now()); err == nil {
		t.Error("accepted with problems")
	}
}

func FuzzFindings(f *testing.F) {
	f.Add([]byte(hook))
	f.Add([]byte(server))
	f.Add([]byte("---\nhooks:\n  a: b\n---\n!`x`"))
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		for _, name := range []string{".mcp.json", ".claude/settings.json", ".claude/commands/a.md"} {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, found := range Inspect(Place{Directory: dir}).Findings {
			if strings.ContainsAny(found.Text, "\n\r") || len(found.Text) > maxText+len("…") {
				t.Errorf("%q", found.Text)
			}
		}
	})
}
