package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/actors/internal/git"
	"betcode/messages"
)

const (
	firstMerge  = "00000000-0000-4000-8000-000000000001"
	secondMerge = "00000000-0000-4000-8000-000000000002"
)

// branched makes a worktree with a new branch and a commit that writes a file.
func (f *fixture) branched(branch, file, content string) messages.WorktreeView {
	f.Helper()
	v := f.create(f.new(branch))
	f.commit(v.Path, file, content)
	return v
}

func (f *fixture) commit(tree, file, content string) {
	f.Helper()
	rel, err := filepath.Rel(f.dir, filepath.Join(tree, file))
	if err != nil {
		f.Fatal(err)
	}
	f.write(rel, content)
	f.run(tree, "add", ".")
	f.run(tree, "commit", "-q", "-m", "work on "+file)
}

func (f *fixture) merging(id string, branches ...string) messages.MergeBranches {
	return messages.MergeBranches{ID: id, Directory: f.main, Branches: branches, Into: "main", Common: f.common}
}

// clean fails the test if a working tree differs from its commit, or something of a merge is left.
func (f *fixture) clean(tree string) {
	f.Helper()
	if out := f.run(tree, "status", "--porcelain"); out != "" {
		f.Errorf("%s is not clean:\n%s", tree, out)
	}
	if left, err := f.registry.intents(""); err != nil || len(left) > 0 || f.exists("project/.git/index.lock") || f.exists("project/.git/MERGE_HEAD") {
		f.Errorf("left over: %+v %v", left, err)
	}
}

func TestMerge(t *testing.T) {
	f := newFixture(t)
	f.branched("one", "one", "1\n")
	f.branched("two", "a/two", "2\n")
	f.commit(f.main, "more", "m\n")
	answer, err := f.ask(f.merging(firstMerge, "one", "two"))
	if err != nil {
		t.Fatal(err)
	}
	merged := answer.(messages.BranchesMerged)
	if !merged.Made || merged.Commit != f.run(f.main, "rev-parse", "main") || !f.exists("project/one") || !f.exists("project/a/two") || !f.exists("project/more") {
		t.Errorf("%+v", merged)
	}
	f.clean(f.main)
	if log := f.run(f.main, "log", "--format=%s|%an", "--first-parent", "-n2"); log != "Merge branch 'two' into main|Tester\nMerge branch 'one' into main|Tester" {
		t.Error(log)
	}
	// A repeated merge gets the same result, although a branch has more commits by now.
	f.commit(filepath.Join(f.dir, "project-one"), "later", "l\n")
	if answer, err = f.ask(f.merging(firstMerge, "one", "two")); err != nil || answer.(messages.BranchesMerged) != (messages.BranchesMerged{Commit: merged.Commit}) || f.exists("project/later") {
		t.Errorf("%+v %v", answer, err)
	}
	if answer, err = f.ask(f.merging(secondMerge, "two")); err != nil || answer.(messages.BranchesMerged).Made {
		t.Errorf("nothing to merge: %+v %v", answer, err)
	}
	// A target that is not checked out moves without files.
	f.run(f.main, "branch", "release", "main~2")
	m := f.merging(secondMerge, "one")
	m.Into = "release"
	if _, err = f.ask(m); err != nil || !strings.Contains(f.run(f.main, "ls-tree", "-r", "--name-only", "release"), "later") {
		t.Error(err)
	}
	f.clean(f.main)
}

// A merge that is refused has its reason, and changes nothing.
func TestMergeRefused(t *testing.T) {
	f := newFixture(t)
	one := f.branched("one", "README", "one\n")
	two := f.branched("two", "README", "two\n")
	three := f.branched("three", "three", "3\n")
	before := f.run(f.main, "rev-parse", "main")
	for _, c := range []struct {
		name  string
		m     messages.MergeBranches
		setup func()
		kind  messages.Kind
		names string
	}{
		{"conflict", f.merging(firstMerge, "one", "two"), nil, messages.WrongState, "branch two has conflicts in README"},
		{"no branch", f.merging(firstMerge, "none"), nil, messages.NotFound, "none"},
		{"no target", messages.MergeBranches{ID: firstMerge, Branches: []string{"one"}, Into: "none", Common: f.common}, nil, messages.NotFound, "none"},
		{"work of the branch", f.merging(firstMerge, "two"), func() { f.write("project-two/new", "x") }, messages.WrongState, two.Path},
		{"changes in the target", f.merging(firstMerge, "one"), func() { f.write("project/a/b", "x") }, messages.WrongState, "1 changed file"},
		{"a file in the way", f.merging(firstMerge, "three"), func() { f.write("project/three", "mine") }, messages.WrongState, "three"},
		{"an ignored file in the way", f.merging(firstMerge, "three"), func() {
			f.write("project/.git/info/exclude", "three\n")
			f.write("project/three", "mine")
		}, messages.WrongState, "three"},
		{"an ignored directory in the way", f.merging(firstMerge, "three"), func() { f.write("project/three/secret", "mine") }, messages.WrongState, "three/secret"},
		{"a rebase of the target", f.merging(firstMerge, "three"), func() {
			f.run(f.main, "checkout", "-q", "--detach", "main")
			f.write("project/.git/rebase-merge/head-name", "refs/heads/main\n")
		}, messages.WrongState, "rebase-merge"},
		{"a bisection of the branch", f.merging(firstMerge, "three"), func() {
			f.run(three.Path, "checkout", "-q", "--detach")
			f.write("project/.git/worktrees/project-three/BISECT_START", "three\n")
		}, messages.WrongState, "BISECT_START"},
		{"an operation", f.merging(firstMerge, "one"), func() { f.write("project/.git/MERGE_HEAD", before+"\n") }, messages.WrongState, "MERGE_HEAD"},
		{"a filter", f.merging(firstMerge, "one"), func() { f.run(f.main, "config", "filter.x.smudge", "touch /ran") }, messages.WrongState, `filter "x"`},
		{"another place", messages.MergeBranches{ID: firstMerge, Branches: []string{"one"}, Into: "main", Common: f.common, Within: two.Path}, nil, messages.Denied, "outside"},
		{"another place, through a link", messages.MergeBranches{ID: firstMerge, Branches: []string{"two"}, Into: "one", Common: f.common, Within: f.main}, func() {
			if err := os.Symlink(one.Path, filepath.Join(f.main, "link")); err != nil {
				t.Fatal(err)
			}
			f.write("project/.git/worktrees/project-one/gitdir", filepath.Join(f.main, "link", ".git")+"\n")
		}, messages.Denied, "outside"},
	} {
		if c.setup != nil {
			c.setup()
		}
		_, err := f.ask(c.m)
		if err == nil || err.Kind != c.kind || !strings.Contains(err.Error(), c.names) || err.Hint == "" {
			t.Errorf("%s: %v, hint %q", c.name, err, hintOf(err))
		}
		if conflict := err != nil && err.Code == messages.MergeConflict && err.Details["paths"] == "README"; conflict != (c.name == "conflict") {
			t.Errorf("%s: %+v", c.name, err)
		}
		if f.run(f.main, "rev-parse", "main") != before {
			t.Errorf("%s: the target has moved", c.name)
		}
		if c.setup != nil {
			f.run(f.main, "checkout", "-q", "-f", "main")
			for _, name := range []string{"project/three", "project/.git/info/exclude", "project-two/new", "project/.git/MERGE_HEAD", "project/.git/rebase-merge", "project/link"} {
				_ = os.RemoveAll(filepath.Join(f.dir, name))
			}
		}
		f.clean(f.main)
	}
}

// At any point where the daemon dies, the merge is made once, or it is not made and the target is unchanged.
func TestDeathInMerge(t *testing.T) {
	for _, at := range []step{stepMerging, stepMerged} {
		f := newFixture(t)
		f.branched("one", "one", "1\n")
		before := f.run(f.main, "rev-parse", "main")
		f.dieAt(at)
		if answer := f.do(t.Context(), f.merging(firstMerge, "one")); answer.(*messages.Error) == nil {
			t.Fatal("it lives")
		}
		f.restart()
		f.clean(f.main)
		if moved := f.run(f.main, "rev-parse", "main") != before; moved != (at == stepMerged) || moved != f.exists("project/one") {
			t.Errorf("%s: moved %v", at, moved)
		}
		f.again(before)
	}
}

// again requests the merge once more: then it is made, and once.
func (f *fixture) again(before string) {
	f.Helper()
	if _, err := f.ask(f.merging(firstMerge, "one")); err != nil {
		f.Error(err)
	}
	if n := f.run(f.main, "rev-list", "--count", "--first-parent", before+"..main"); n != "1" || !f.exists("project/one") {
		f.Errorf("%s merges", n)
	}
	f.clean(f.main)
}

// At any point where git is killed, the target is unchanged, or the merge is made. Later changes of a person stay.
func TestGitDiesInMerge(t *testing.T) {
	for name, c := range map[string]struct {
		dies   func(f *fixture, m git.Merge)
		merged bool
		stays  string // a file with changes of a person
	}{
		"a lock of the index": {dies: func(f *fixture, _ git.Merge) { f.write("project/.git/index.lock", "half") }},
		"in the middle of files": {dies: func(f *fixture, _ git.Merge) {
			f.write("project/.git/index.lock", "")
			f.write("project/README", "read")    // a part of the new content
			f.write("project/one", "1\n")        // new
			if os.Remove(f.main+"/a/b") != nil { // removed by the merge
				f.Error("no a/b")
			}
		}},
		"before the branch": {merged: true, dies: func(f *fixture, m git.Merge) { f.run(f.main, "read-tree", "-m", "-u", m.Old, m.New) }},
		"and a person goes on": {stays: "project/README", dies: func(f *fixture, _ git.Merge) {
			f.write("project/README", "mine\n")
			f.write("project/one", "1\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			one := f.branched("one", "one", "1\n")
			f.commit(one.Path, "README", "read this\n")
			f.run(one.Path, "rm", "-q", "a/b")
			f.run(one.Path, "commit", "-q", "-m", "remove")
			before := f.run(f.main, "rev-parse", "main")
			f.dieAt(stepMerging)
			_ = f.do(t.Context(), f.merging(firstMerge, "one"))
			begun, err := f.registry.intents("")
			if err != nil || len(begun) != 1 {
				t.Fatal(begun, err)
			}
			c.dies(f, begun[0].Merge)
			f.restart()
			if c.stays != "" {
				if content, _ := os.ReadFile(filepath.Join(f.dir, c.stays)); string(content) != "mine\n" {
					t.Errorf("%s", content)
				}
				if _, err := f.ask(f.merging(firstMerge, "one")); err == nil || !strings.Contains(err.Error(), "changed file") {
					t.Error(err)
				}
				return
			}
			f.clean(f.main)
			if moved := f.run(f.main, "rev-parse", "main") != before; moved != c.merged || f.exists("project/one") != c.merged || f.exists("project/a/b") == c.merged {
				t.Errorf("moved %v", moved)
			}
			f.again(before)
		})
	}
}

// No program of the repository runs in a merge: neither hooks nor merge drivers.
func TestMergeRunsNothing(t *testing.T) {
	f := newFixture(t)
	f.commit(f.main, ".gitattributes", "* merge=evil\n")
	f.branched("one", "README", "one\nread me\n")
	f.commit(f.main, "README", "read me\nmain\n")
	mark := filepath.Join(f.dir, "ran")
	f.run(f.main, "config", "merge.evil.driver", "touch "+mark)
	f.run(f.main, "config", "commit.gpgsign", "true")
	f.run(f.main, "config", "gpg.program", "/bin/touch")
	for _, hook := range []string{"reference-transaction", "post-checkout", "post-merge", "pre-merge-commit", "post-index-change", "commit-msg", "prepare-commit-msg"} {
		f.write("project/.git/hooks/"+hook, "#!/bin/sh\ntouch "+mark+"\n")
		if err := os.Chmod(filepath.Join(f.main, ".git/hooks", hook), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.ask(f.merging(firstMerge, "one")); err != nil && err.Code != messages.MergeConflict {
		t.Error(err)
	}
	if f.exists("ran") {
		t.Error("a program of the repository has run")
	}
}
