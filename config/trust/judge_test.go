package trust

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

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
