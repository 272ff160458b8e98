package trust

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Settings that make git run a program while it only reads are found in every notation.
func TestPrograms(t *testing.T) {
	for config, want := range map[string]string{
		"[core]\n\tfsmonitor = /bin/x\n":                  "fsmonitor = /bin/x",
		"[core] FSMonitor=x":                              "fsmonitor = x",
		"[core]\r\nfsmonitor=x\r\n":                       "fsmonitor = x",
		"\uFEFF[core]fsmonitor=x":                         "fsmonitor = x",
		"[filter \"a]b\"] clean = x y":                    "clean = x y",
		"[a][diff \"x\"]textconv=y":                       "textconv = y",
		"[user]\nname = a\\\n[diff]\nexternal = x":        "external = x",
		"[include]\npath = ../evil":                       "[include]|path = ../evil",
		"[ includeIf \"gitdir:/\"]\npath=x":               "[ includeIf \"gitdir:/\"]|path = x",
		"[remote \"o\"]\nuploadpack=x":                    "uploadpack = x",
		"[core]\nsshCommand = x":                          "sshcommand = x",
		"[alias]\nx = !y":                                 "x = !y",
		"[alias]\nx = grep -O./y\n[core]\nx = grep -O./y": "x = grep -O./y",
		"[alias] x = bisect run ./y":                      "x = bisect run ./y",
		"[alias \"x\"]\ncommand = y":                      "command = y",
		"[alias]\n\\\nx = \\\n!y":                         `x = \`,
		"[core]\neditor = x":                              "editor = x",
		"[merge \"x\"]\ndriver = y":                       "driver = y",
		"[credential]\nhelper = !y":                       "helper = !y",
		"[credential]\nhelper = store":                    "",
		"[submodule \"x\"]\nupdate = !y":                  "update = !y",
		"[submodule \"x\"]\nupdate = rebase":              "",
		"[core]\nfsmonitor = true\n[filter \"lfs\"]\nclean = git-lfs clean -- %f\nprocess = git-lfs filter-process\nsmudge = git-lfs smudge -- %f": "",
		"[remote \"origin\"]\nurl = x\nfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\nremote = origin\nmerge = refs/heads/main":   "",
		"[alias]\nst = status\n; fsmonitor = x\n# clean = y": "",
	} {
		if got := strings.Join(programs(config), "|"); got != want {
			t.Errorf("%q: %q instead of %q", config, got, want)
		}
	}
}

// Trust in a git setting covers its text; other settings may change.
func TestGitSettings(t *testing.T) {
	tree := newTree(t)
	write := tree.write
	inspect := func() Report { return tree.inspect("sub") }
	write("sub/x", "")
	write(".git/config", "[core]\nbare = false\n")
	if r := inspect(); !r.Empty() {
		t.Errorf("nothing to run: %+v", r)
	}
	write(".git/config", "[core]\nfsmonitor = /x\nhooksPath = .hooks\n")
	first := inspect()
	if !first.Has(Git) || len(first.Problems) > 0 {
		t.Errorf("a program: %+v", first)
	}
	write(".git/config", "[core]\nfsmonitor = /x\nhooksPath = .hooks\n[branch \"a\"]\nremote = o\n")
	if inspect().Digest() != first.Digest() {
		t.Error("a branch changes what is trusted")
	}
	write(".hooks/post-index-change", "#!/bin/sh\n")
	if inspect().Digest() == first.Digest() {
		t.Error("a hook changes nothing")
	}
	write(".git/config", "[core]\nfsmonitor = /y\n")
	if inspect().Digest() == first.Digest() {
		t.Error("another program changes nothing")
	}
	write(".git/config", "[core]\n")
	write(".git/hooks/post-index-change", "#!/bin/sh\n")
	if !inspect().Has(Git) {
		t.Error("the hook is not found")
	}
	write("other/.git", "gitdir: ../.git \n")
	if r := tree.inspect("other"); len(r.Problems) == 0 {
		t.Errorf("blanks behind the path are not noticed: %+v", r)
	}
}

// Trust also covers the text of included files, and the continuation of a value on the next line.
func TestIncludedSettings(t *testing.T) {
	tree := newTree(t)
	inspect := func() Report { return tree.inspect("") }
	digest := func(file, one, other string) {
		t.Helper()
		tree.write(file, one)
		first := inspect()
		tree.write(file, other)
		if second := inspect(); first.Digest() == second.Digest() || !second.Has(Git) || len(second.Problems) > 0 {
			t.Errorf("%s: %q and %q are the same: %+v", file, one, other, second)
		}
	}
	digest(".git/config", "[core]\nfsmonitor = /x\\\n1\n", "[core]\nfsmonitor = /x\\\n2\n")
	digest(".git/config", "[include]\npath = ../a\n", "[include]\npath = ../b\n")
	digest("b", "[core]\nfsmonitor = /x\n", "[core]\nfsmonitor = /y\n")
	digest(".git/config", "[include]\npath = ../hooks.cfg\n[core]\nfsmonitor = /1", "[include]\npath = ../hooks.cfg\n[core]\nfsmonitor = /2")
	tree.write("hooks.cfg", "[core]\nhooksPath = h\n")
	digest("h/post-index-change", "1", "2")
	tree.write("b", "[include]\npath = b\n")
	tree.write(".git/config", "[include]\npath = ../b\n")
	if r := inspect(); len(r.Problems) == 0 {
		t.Errorf("a circle: %+v", r)
	}
}

// A directory may be a repository without a ".git" in it.
func TestBareRepository(t *testing.T) {
	tree := newTree(t)
	tree.write("bare/HEAD", "ref: refs/heads/main\n")
	tree.write("bare/objects/x", "")
	tree.write("bare/config", "[core]\nfsmonitor = /x\n")
	if r := tree.inspect("bare"); !r.Empty() {
		t.Errorf("no repository without refs: %+v", r)
	}
	tree.write("bare/refs/heads/x", "")
	for _, dir := range []string{"bare", "bare/refs"} {
		if r := tree.inspect(dir); !r.Has(Git) || len(r.Problems) > 0 {
			t.Errorf("%s: %+v", dir, r)
		}
	}
	tree.write("bare/hooks/post-index-change", "x")
	tree.write("bare/config", "")
	if r := tree.inspect("bare"); !r.Has(Git) {
		t.Errorf("the hook is not found: %+v", r)
	}
}

// git also uses the settings of submodules.
func TestSubmodules(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	for _, version := range []string{"2", "3", "4"} {
		tree := newTree(t)
		root := tree.root
		git := func(args ...string) {
			t.Helper()
			command := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null"}, args...)...)
			command.Dir, command.Env = root, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("git %q: %v\n%s", args, err, out)
			}
		}
		git("init", "-q", ".")
		for _, name := range []string{"a", "abc", "abc-d", "dir/" + strings.Repeat("long", 40), "z"} {
			if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, name), []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		git("init", "-q", "deep/inner")
		git("-C", "deep/inner", "commit", "-q", "--allow-empty", "-m", "x")
		git("-c", "advice.addEmbeddedRepo=false", "add", ".")
		if version == "3" {
			git("add", "-N", ".")
			if err := os.WriteFile(filepath.Join(root, "later"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			git("add", "-N", "later")
		}
		git("update-index", "--index-version", version)
		raw, err := os.ReadFile(filepath.Join(root, ".git/index"))
		if err != nil {
			t.Fatal(err)
		}
		links, ok := gitlinks(raw)
		if !ok || !slices.Equal(links, []string{"deep/inner"}) {
			t.Errorf("version %s (%d): %v %v", version, binary.BigEndian.Uint32(raw[4:]), links, ok)
		}
		git("-C", "deep/inner", "config", "core.fsmonitor", "/x")
		if r := tree.inspect("."); !r.Has(Git) {
			t.Errorf("version %s: %+v", version, r)
		}
	}
}

func FuzzGitlinks(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + strings.Repeat("\x00", 80)))
	f.Fuzz(func(_ *testing.T, index []byte) { gitlinks(index) })
}

// Findings are what the agent reads: names of members are case-sensitive.
func TestExactMembers(t *testing.T) {
	show := func(list []Finding) string {
		var all []string
		for _, f := range list {
			all = append(all, f.Text)
		}
		return strings.Join(all, "\n")
	}
	for name, text := range map[string]string{
		"a server": show(serverFindings("p", []byte(`{"a": {"command": "evil", "Command": "nice", "args": ["-x"], "Args": []}}`))),
		"a hook":   show(hookFindings("p", []byte(`{"Stop": [{"hooks": [{"command": "evil -x"}], "Hooks": [{"command": "nice"}]}]}`))),
		"a task":   strings.Join(taskTexts([]byte(`{"tasks": [{"cron": "* * * * *", "prompt": "evil -x", "Prompt": "nice"}], "Tasks": []}`)), ""),
	} {
		if !strings.Contains(text, "evil -x") || strings.Contains(text, "nice") {
			t.Errorf("%s is shown as %q", name, text)
		}
	}
}

// A text that is too long to be shown is not trusted.
func TestTooMuchToShow(t *testing.T) {
	tree := newTree(t)
	tree.write(".claude/settings.json", `{"permissions": {"allow": ["`+strings.Repeat(`a","`, maxFindings)+`b"]}}`)
	if r := tree.inspect("."); len(r.Problems) == 0 {
		t.Error("findings are left out silently")
	}
}

// A task that the agent has run again is the same task.
func TestTasks(t *testing.T) {
	tree := newTree(t)
	write := func(text string) { tree.write(".claude/scheduled_tasks.json", text) }
	write(`{"tasks": []}`)
	if r := tree.inspect("."); !r.Empty() {
		t.Errorf("no tasks: %+v", r)
	}
	write(`{"tasks": [{"id": "a", "cron": "* * * * *", "prompt": "x", "createdAt": 1}]}`)
	first := tree.inspect(".")
	write(`{"tasks": [{"id": "a", "cron": "* * * * *", "prompt": "x", "createdAt": 1, "lastFiredAt": 5}]}`)
	if again := tree.inspect("."); !first.Has(Task) || again.Digest() != first.Digest() {
		t.Errorf("%+v and %+v", first, again)
	}
	write(`{"tasks": [{"id": "a", "cron": "* * * * *", "prompt": "y", "createdAt": 1}]}`)
	if tree.inspect(".").Digest() == first.Digest() {
		t.Error("another prompt changes nothing")
	}
}
