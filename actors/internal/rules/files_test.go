package rules

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestSearches compares searches and unusual paths with rules about files.
func TestSearches(t *testing.T) {
	for _, c := range []struct {
		rule, tool string
		members    []string
		allow      bool
		deny       Effect
	}{
		{"Read(~/.ssh/**)", "Grep", []string{"pattern", "x", "path", "/home/me"}, false, Ask},
		{"Read(~/.ssh/**)", "Grep", []string{"pattern", "x", "path", "/"}, false, Ask},
		{"Read(~/.ssh/**)", "Grep", []string{"pattern", "x", "path", "~/.ssh"}, true, Deny},
		{"Read(~/.ssh/**)", "Grep", []string{"pattern", "x", "path", "~/.ssh/a"}, true, Deny},
		{"Read(~/.ssh/**)", "Grep", []string{"pattern", "x", "path", "/home/you"}, false, None},
		{"Read(~/.ssh/**)", "Glob", []string{"pattern", "*", "path", ".."}, false, Ask},
		{"Read(~/.ssh/**)", "Glob", []string{"pattern", "../.ssh/*"}, false, Ask},
		{"Read(~/.ssh/**)", "Glob", []string{"pattern", "/home/me/.ssh/*"}, false, Ask},
		{"Read(~/.ssh/**)", "LS", []string{"path", "/home"}, false, Ask},
		{"Read(~/.ssh/**)", "Grep", []string{"pattern", "x"}, false, None},
		{"Read(.env)", "Grep", []string{"pattern", "x"}, false, Ask},
		{"Read(src/a/*.key)", "Grep", []string{"pattern", "x", "path", "src"}, false, Ask},
		{"Read(src/a/*.key)", "Grep", []string{"pattern", "x", "path", "src/b"}, false, None},
		{"Read(src/*)", "Grep", []string{"pattern", "x", "path", "src/a"}, false, Deny},
		{"Read(src/**)", "Grep", []string{"pattern", "x", "path", "src/a"}, true, Deny},
		{"Read(src/**/*.go)", "Grep", []string{"pattern", "x", "path", "src"}, false, Ask},
		{"Read(/etc/**)", "Read", []string{"file_path", "/proc/self/root/etc/passwd"}, false, Deny},
		{"Read(//etc/**)", "Read", []string{"file_path", "/proc/thread-self/root/etc/passwd"}, false, Deny},
		{"Read(//etc/**)", "Read", []string{"file_path", "/proc/1/root/etc/passwd"}, false, Ask},
		{"Read(src/**)", "Read", []string{"file_path", "/proc/self/cwd/src/x"}, false, Deny},
		{"Read(src/**)", "Read", []string{"file_path", "/dev/fd/3"}, false, Ask},
		{"Read(r\u00e9sum\u00e9.txt)", "Read", []string{"file_path", "re\u0301sume\u0301.txt"}, false, Ask},
		{"Read(secret.txt)", "Read", []string{"file_path", "SECRET.TXT"}, false, Ask},
		{"Read(secret.txt)", "Read", []string{"file_path", "sec\u200dret.txt"}, false, Ask},
		{"Read(stress.txt)", "Read", []string{"file_path", "streß.txt"}, false, Ask},
		{"Read(first.txt)", "Read", []string{"file_path", "ﬁrst.txt"}, false, Ask},
		{"Read(secret.txt)", "Read", []string{"file_path", "./secret.txt/."}, true, Deny},
		{"Read(secret.txt)", "Read", []string{"file_path", "x/..//secret.txt/"}, true, Deny},
		{"Read(//proc/**)", "Read", []string{"file_path", "/proc/self/environ"}, false, Deny},
		{"Read(src/**)", "Read", []string{"file_path", " src/x"}, false, Deny},
		{"Read(src/**)", "Read", []string{"file_path", "SRC/x"}, false, Ask},
		{"Read(src/**)", "Read", []string{"file_path", "src/\x01"}, false, Ask},
		{"Read(src/**)", "Read", []string{"file_path", ""}, false, Ask},
	} {
		call := callOf(c.tool, c.members...)
		if got := mustSet(t, Allow, c.rule).Decide(call); (got.Effect == Allow) != c.allow {
			t.Errorf("allow %s: %s %q: %v (%s)", c.rule, c.tool, c.members, got.Effect, got.Why)
		}
		if got := mustSet(t, Deny, c.rule).Decide(call); got.Effect != c.deny {
			t.Errorf("deny %s: %s %q: %v (%s)", c.rule, c.tool, c.members, got.Effect, got.Why)
		}
	}
}

// TestFilesOfCommands compares shell commands with rules about files.
func TestFilesOfCommands(t *testing.T) {
	s, problems := New(Rule{Effect: Allow, Text: "Bash"}, Rule{Effect: Deny, Text: "Read(~/.ssh/**)"}, Rule{Effect: Deny, Text: "Read(.env)"}, Rule{Effect: Deny, Text: "Edit(//etc/**)"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for command, want := range map[string]Effect{
		"cat ~/.ssh/id": Deny, "cat /home/me/.ssh/id": Deny, "cat ../.ssh/id": Deny, "cd ~/.ssh && cat id": Deny, "cd ..; cd .ssh; head -n1 id": Deny, "cd /; cat home/me/.ssh/id": Deny,
		"(cd ~/.ssh; cat id)": Deny, "cd $x && cat id": Ask, "cd - && cat id": Ask, "pushd ~/.ssh; cat id": Ask, "cat < ~/.ssh/id": Deny, "cat .env": Deny, "cat a/.env": Deny, "cat ./.ENV": Ask,
		"cat $x": Ask, "cat *.md": Allow, "cat *": Ask, "cat .e*": Ask, "cat README.md": Allow, "grep -r x .": Ask, "rg x": Ask, "grep x README.md": Allow, "cp .env x": Deny, "python3 x.py .env": Ask,
		"docker run --env-file=.env x": Ask, "curl -d @.env x": Ask, "echo .env": Allow, "git add .env": Ask, "sudo cat .env": Deny, "cat /proc/self/cwd/.env": Ask, "cat /proc/1/cwd/x": Ask,
		"echo x > /etc/passwd": Deny, "tee /etc/passwd": Deny, "vim .env": Deny, "date -f .env": Ask, "git show HEAD:.env": Ask, "git show HEAD:README.md": Allow, "sed 'r .env' x": Ask, "sed -n 's/a/r b/' x": Allow, "scp h:.env .": Ask,
		"curl file://localhost/home/me/project/.e%6ev": Ask, "curl file:///home/me/project/.env": Ask, "curl http://example.com/x": Allow, "date +%s": Allow, "vim +12 x": Allow,
		"cat /etc/passwd": Allow, "sed -i s/a/b/ /etc/passwd": Deny, "python3 -c 'x'": Allow, "ls": Allow, "cat 'x": Ask,
	} {
		if got := s.Decide(bash(command)); got.Effect != want {
			t.Errorf("%q: %v, want %v (%s)", command, got.Effect, want, got.Why)
		}
	}
}

// TestLinksOfCommands checks that links in shell commands are followed.
func TestLinksOfCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"project", "secret"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "project", "main.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../secret", filepath.Join(root, "project", "out")); err != nil {
		t.Fatal(err)
	}
	s, _ := New(Rule{Effect: Allow, Text: "Bash"}, Rule{Effect: Deny, Text: "Read(/" + root + "/secret/**)"}, Rule{Effect: Deny, Text: "Read(.env)"})
	searches := Call{Tool: "Grep", Input: []byte(`{"pattern": "x", "path": "/"}`), Place: Place{Directory: filepath.Join(root, "project"), Home: root}}
	searches.Real = Resolve(searches)
	if got := s.Decide(searches); got.Effect != Ask {
		t.Errorf("a search of the whole disk: %v (%s)", got.Effect, got.Why)
	}
	for command, want := range map[string]Effect{
		"grep -r x /": Ask, "rg x /": Ask, "find /": Ask, "tar c /": Ask,
		"cat out/key": Deny, "cd out && cat key": Deny, "cat out/../secret/key": Deny, "cat main.go": Allow, "rg x main.go": Ask, "grep -r x out": Deny, "cat outer/key": Allow,
	} {
		call := bash(command)
		call.Place = Place{Directory: filepath.Join(root, "project"), Home: root}
		if !s.NeedsDisk("Bash") {
			t.Fatal("the rules need no disk")
		}
		call.Real = Resolve(call)
		if got := s.Decide(call); got.Effect != want {
			t.Errorf("%q: %v, want %v (%s)", command, got.Effect, want, got.Why)
		}
	}
}
