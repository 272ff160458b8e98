package protect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/actors/internal/rules"
)

// bare makes a directory that git takes for a repository.
func bare(t *testing.T, dir, config string) {
	t.Helper()
	put(t, filepath.Join(dir, "HEAD"), "ref: refs/heads/main\n", 0o600)
	put(t, filepath.Join(dir, "objects/info/x"), "", 0o600)
	put(t, filepath.Join(dir, "refs/heads/x"), "", 0o600)
	put(t, filepath.Join(dir, "config"), config, 0o600)
}

func put(t *testing.T, file, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// git runs programs of a repository below the session's directory, and such a repository may have
// any name.
func TestRepositoriesBelow(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(root, "p")
	const plain, evil = "[core]\n\tbare = false\n", "[core]\n\tfsmonitor = ./x\n"
	bare(t, project+"/.git", "[alias]\n\tst = !x\n[core]\nhooksPath = h\n")
	put(t, project+"/.git/hooks/pre-commit", "#!/bin/sh\n", 0o700)
	bare(t, project+"/nested/.git", evil)
	bare(t, project+"/vendor/bare", evil)
	bare(t, project+"/plain/.git", plain)
	put(t, project+"/plain/.git/hooks/pre-commit", "#!/bin/sh\n", 0o700)
	put(t, project+"/plain/.git/hooks/pre-push.sample", "#!/bin/sh\n", 0o700)
	bare(t, project+"/hooked/.git", plain+"hooksPath = scripts\n")
	put(t, project+"/hooked/scripts/post-index-change", "#!/bin/sh\n", 0o700)
	put(t, project+"/pointed/.git", "gitdir: ../vendor/bare\n", 0o600)
	put(t, project+"/.git/worktrees/w/HEAD", "ref: x\n", 0o600)
	put(t, project+"/.git/worktrees/w/commondir", "../..\n", 0o600)
	put(t, project+"/w/.git", "gitdir: ../.git/worktrees/w\n", 0o600)
	bare(t, root+"/store", plain)
	put(t, root+"/store/main/.git", "gitdir: ../worktrees/main\n", 0o600)
	put(t, project+"/sub/a.txt", "", 0o600)

	l := New(Places{Home: root}, Places{})
	check := func(tool, argument string) string {
		return l.Check(rules.Call{Tool: tool, Input: rules.InputOf(tool, argument), Place: rules.Place{Directory: project, Home: root}})
	}
	for command, asked := range map[string]bool{
		"git status": false, "git commit -m x": false, "git -C sub status": false, "cd sub && git status": false, "git -C plain status": false, "git -C w commit -m x": false,
		"git -C nested status": true, "cd nested && git status": true, "git -C nested x": true, "git -C vendor -C bare log": true, "git -C vendor/bare/refs log": true,
		"(cd vendor/bare; git diff)": true, "git --git-dir=vendor/bare log": true, "git --git-dir vendor/bare log": true, "GIT_DIR=vendor/bare git log": true,
		"export GIT_DIR=nested/.git": true, "pushd nested; git log": true, "git -C plain commit -m x": true, "git -C hooked status": true, "git -C pointed status": true,
		"sudo git -C nested status": true, "bash -c 'cd nested; git status'": true, "git -C ~/p/nested status": true,
	} {
		if reason := check("Bash", command); (reason != "") != asked {
			t.Errorf("%s: asked %t: %s", command, !asked, reason)
		}
	}
	for dir, asked := range map[string]bool{
		project: false, project + "/plain": true, project + "/w": false, root + "/store": false, project + "/nested": true, project + "/vendor/bare": true, "": true, project + "/non?": true,
	} {
		if reason := l.CheckRepository(dir, project); (reason != "") != asked {
			t.Errorf("repository %q: asked %t: %s", dir, !asked, reason)
		}
	}
	for file, asked := range map[string]bool{
		project + "/vendor/bare/config": true, project + "/vendor/bare/hooks/post-checkout": true, project + "/vendor/a.txt": false, project + "/sub/a.txt": false,
		root + "/store/main/a.txt": false, root + "/store/config": true,
	} {
		if reason := check("Write", file); (reason != "") != asked {
			t.Errorf("%s: asked %t: %s", file, !asked, reason)
		}
	}
}

func TestRunningSettings(t *testing.T) {
	for content, want := range map[string]string{
		"[core]\n\tfsmonitor = ./x": "fsmonitor = ./x", "[core] FSMonitor=x": "FSMonitor=x", "[core]\nfsmonitor = true\n": "",
		"[alias]\nst = !x": "[alias]", "[ALIAS \"x\"]\n": "[ALIAS \"x\"]", "[alias.x]\n": "[alias.x]", "[include]\npath = x": "[include]", "[includeIf \"gitdir:/\"]\npath=x": "[includeIf \"gitdir:/\"]",
		"[filter \"x\"]\nclean = y": "clean = y", "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n\tsmudge = git-lfs smudge -- %f": "",
		"[submodule \"x\"]\nupdate = !y": "update = !y", "[submodule \"x\"]\nupdate = rebase": "", "[remote \"o\"]\nurl = x\nfetch = y\n[branch \"m\"]\nmerge = z": "",
		"[core]\nhooksPath = ~/x": "hooksPath = ~/x", "[core]\nsshCommand = x": "sshCommand = x", "[diff \"x\"]textconv=y": "textconv=y",
	} {
		if got, _ := runningSettings(content); got != want {
			t.Errorf("%q: %q instead of %q", content, got, want)
		}
	}
	if _, hooks := runningSettings("[core]\nhooksPath = \"a b\"\n"); strings.Join(hooks, "|") != "a b" {
		t.Error(hooks)
	}
}
