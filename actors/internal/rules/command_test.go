package rules

import (
	"strings"
	"testing"
)

// TestAllowCommand compares commands with one allow rule.
func TestAllowCommand(t *testing.T) {
	for _, c := range []struct {
		rule, command string
		want          bool
	}{
		{"Bash", "anything $(at all) > /tmp/x", true},
		{"Bash(git *)", "git", true},
		{"Bash(git *)", "git status --short", true},
		{"Bash(git *)", "gitk", false},
		{"Bash(git:*)", "git status", true},
		{"Bash(npm run test:*)", "npm run test", true},
		{"Bash(npm run test:*)", "npm run test -- --watch", true},
		{"Bash(npm run test:*)", "npm run tests", false},
		{"Bash(npm run test:*)", "'npm run' test", false},
		{"Bash(git status)", "git  status", true},
		{"Bash(git status)", "git status -s", false},
		{"Bash(* --version)", "go --version", true},
		{"Bash(git * main)", "git push origin main", true},
		{`Bash(git commit -m "a b")`, `git commit -m 'a b'`, true},
		{`Bash(git commit -m "a b")`, `git commit -m a b`, false},
		// compound commands: every one of them
		{"Bash(git *)", "git add . && git commit -m x; git push | git log", true},
		{"Bash(git *)", "git add . && rm -rf /", false},
		{"Bash(git *)", "git add . & rm -rf /", false},
		{"Bash(git *)", "git add .\nrm -rf /", false},
		{"Bash(git *)", "(git status)", false},
		{"Bash(git *)", "{ git status; }", false},
		{"Bash(git *)", "if git diff --quiet; then git push; fi", false},
		{"Bash(git *)", "! git diff --quiet", false},
		// what is known only when it runs
		{"Bash(git *)", "git $x", false},
		{"Bash(git *)", `git "$(rm -rf /)"`, false},
		{"Bash(git *)", "git `rm -rf /`", false},
		{"Bash(git *)", "git <(rm -rf /)", false},
		{"Bash(git *)", "$git status", false},
		{"Bash(git *)", "g'i't status", true},
		{"Bash(git *)", `g\it status`, true},
		{"Bash(git *)", "git $'\\x72m'", false},
		{"Bash(git *)", "git ~root", false},
		{"Bash(git *)", "git {a,b}", false},
		{"Bash(*)", "eval $x", true},
		{"Bash(* x)", "eval x", false},
		{"Bash(bash *)", "bash -c 'rm -rf /'", false},
		{"Bash(sudo *)", "sudo bash -c x", false},
		{"Bash(sudo *)", "sudo id", true},
		// environment, redirections, definitions
		{"Bash(git *)", "LD_PRELOAD=./x.so git status", false},
		{"Bash(git *)", "PATH=.; git status", false},
		{"Bash(git *)", "export PATH=.; git status", false},
		{"Bash(git *)", "git() { rm -rf /; }; git status", false},
		{"Bash(git *)", "git log > ~/.bashrc", false},
		{"Bash(git *)", "git log >> x", false},
		{"Bash(git *)", "git apply < x", false},
		{"Bash(git *)", "git log > /dev/null 2>&1", true},
		{"Bash(git *)", "git log &> /dev/null", true},
		{"Bash(git *)", "git commit -F - <<'E'\nhello $x\nE", false},
		{"Bash(git *)", "git commit -F - <<E\n$(rm -rf /)\nE", false},
		{"Bash(git *)", "git commit -F - <<< hello", false},
		{"Bash(git *)", "coproc git status", false},
		{"Bash(git *)", "for x in a b; do git show $x; done", false},
		{"Bash(git *)", "git 'status", false},
		{"Bash(git *)", "", false},
		{"Bash(git *)", "# git", false},
	} {
		got := mustSet(t, Allow, c.rule).Decide(bash(c.command))
		if (got.Effect == Allow) != c.want {
			t.Errorf("allow %s: %q: %v (%s)", c.rule, c.command, got.Effect, got.Why)
		}
		if got.Why == "" {
			t.Errorf("allow %s: %q: no reason", c.rule, c.command)
		}
	}
}

// TestDenyCommand compares commands with one deny rule.
func TestDenyCommand(t *testing.T) {
	for _, c := range []struct {
		rule, command string
		want          Effect
	}{
		{"Bash(rm *)", "rm -rf /", Deny},
		{"Bash(rm *)", "rmdir x", None},
		{"Bash(rm *)", "echo hello; rm x", Deny},
		{"Bash(rm *)", "echo $(rm x)", Deny},
		{"Bash(rm *)", "echo `rm x`", Deny},
		{"Bash(rm *)", "cat <(rm x)", Deny},
		{"Bash(rm *)", "x=$(rm y)", Deny},
		{"Bash(rm *)", "[[ -n $(rm x) ]]", Deny},
		{"Bash(rm *)", "echo > $(rm x)", Deny},
		{"Bash(rm *)", "cat <<E\n$(rm x)\nE", Deny},
		{"Bash(rm *)", "f() { rm x; }", Deny},
		{"Bash(rm *)", "while true; do rm x; done", Deny},
		{"Bash(rm *)", "case x in x) rm y;; esac", Deny},
		{"Bash(rm *)", "/bin/rm x", Deny},
		{"Bash(rm *)", `\rm x`, Deny},
		{"Bash(rm *)", "r'm' x", Deny},
		{"Bash(rm *)", "$'rm' x", Deny},
		{"Bash(rm *)", "{rm,-rf,/}", Deny},
		{"Bash(rm *)", "FOO=1 rm x", Deny},
		{"Bash(rm *)", "sudo rm x", Deny},
		{"Bash(rm *)", "sudo -u root env A=b timeout 5 /bin/rm x", Deny},
		{"Bash(rm *)", "find . -exec rm {} +", Deny},
		{"Bash(rm *)", "ls | xargs -n1 rm", Deny},
		{"Bash(rm *)", "bash -c 'rm x'", Deny},
		{"Bash(rm *)", `bash -c "sh -c 'cd /; rm x'"`, Deny},
		{"Bash(rm *)", "eval rm x", Deny},
		{"Bash(rm *)", "eval 'rm' 'x'", Deny},
		{"Bash(rm *)", "rm $x", Deny},
		{"Bash(rm -rf *)", `rm -rf "$HOME"`, Deny},
		{"Bash(git push *)", "git status", None},
		{"Bash(git push --force)", "git push --force", Deny},
		{"Bash(rm *)", "rm 'x", Ask}, // cannot be parsed
		{"Bash", "ls", Deny},
	} {
		if got := mustSet(t, Deny, c.rule).Decide(bash(c.command)); got.Effect != c.want {
			t.Errorf("deny %s: %q: %v (%s)", c.rule, c.command, got.Effect, got.Why)
		}
	}
}

// TestTooMuch checks that no length of a command keeps a rule from being asked about.
func TestTooMuch(t *testing.T) {
	s := mustSet(t, Deny, "Bash(rm *)")
	for name, command := range map[string]string{
		"long":     strings.Repeat("x", maxCommand) + "; rm x",
		"words":    "sudo" + strings.Repeat(" x", 30_000) + " rm x",
		"texts":    "bash" + strings.Repeat(" 'sudo x'", 7_000) + " 'rm x'",
		"braces":   "sudo {1..200}{1..200} rm x",
		"commands": strings.Repeat("sudo x;", 9_000) + "rm x",
	} {
		if got := s.Decide(bash(command)); got.Effect != Deny && got.Effect != Ask {
			t.Errorf("%s: %v (%s)", name, got.Effect, got.Why)
		}
	}
}
