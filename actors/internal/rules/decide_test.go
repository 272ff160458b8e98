package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var here = Place{Directory: "/home/me/project", Home: "/home/me"}

func mustSet(t testing.TB, effect Effect, texts ...string) *Set {
	t.Helper()
	var rules []Rule
	for _, text := range texts {
		rules = append(rules, Rule{Effect: effect, Text: text})
	}
	s, problems := New(rules...)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return s
}

func bash(command string) Call { return callOf("Bash", "command", command) }

func callOf(tool string, members ...string) Call {
	in := map[string]string{}
	for n := 0; n < len(members); n += 2 {
		in[members[n]] = members[n+1]
	}
	raw, err := json.Marshal(in)
	if err != nil {
		panic(err)
	}
	return Call{Tool: tool, Input: raw, Place: here}
}

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

// TestPaths compares files with one rule, as allow and as deny.
func TestPaths(t *testing.T) {
	for _, c := range []struct {
		rule, tool, path string
		allow, deny      bool
	}{
		{"Edit(src/**/*.ts)", "Edit", "src/a/b.ts", true, true},
		{"Edit(src/**/*.ts)", "Edit", "src/b.ts", true, true},
		{"Edit(src/**/*.ts)", "Write", "/home/me/project/src/b.ts", true, true},
		{"Edit(src/**/*.ts)", "Edit", "src/../other/b.ts", false, false},
		{"Edit(src/**/*.ts)", "Edit", "../project/src/b.ts", true, true},
		{"Edit(src/**/*.ts)", "Read", "src/b.ts", false, false},
		{"Edit(src/**)", "Edit", "srcs/b.ts", false, false},
		{"Read(~/x/**)", "Read", "/home/me/x/y", true, true},
		{"Read(~/x/**)", "Grep", "~/x/y", true, true},
		{"Read(~/x/**)", "Read", "/home/you/x/y", false, false},
		{"Read(~/.ssh)", "Read", "~/.ssh/id_ed25519", false, true},
		{"Read(//etc/**)", "Read", "/etc/passwd", true, true},
		{"Read(/etc/**)", "Read", "/etc/passwd", false, true},
		{"Read(/etc/**)", "Read", "etc/passwd", true, true},
		{"Read(.env)", "Read", "a/b/.env", true, true},
		{"Read(*.pem)", "Read", "a/b/c.pem", true, true},
		{"Read(*.pem)", "Read", "/elsewhere/c.pem", false, false},
		{"Read(./src)", "Read", "src/a", false, true},
		{"Write(src/**)", "Edit", "src/a", false, false},
	} {
		in := callOf(c.tool, "file_path", c.path)
		if c.tool == "Grep" {
			in = callOf(c.tool, "path", c.path)
		}
		if got := mustSet(t, Allow, c.rule).Decide(in); (got.Effect == Allow) != c.allow {
			t.Errorf("allow %s: %s %s: %v (%s)", c.rule, c.tool, c.path, got.Effect, got.Why)
		}
		if got := mustSet(t, Deny, c.rule).Decide(in); (got.Effect == Deny) != c.deny {
			t.Errorf("deny %s: %s %s: %v (%s)", c.rule, c.tool, c.path, got.Effect, got.Why)
		}
	}
}

// TestLinks makes links and checks that their targets decide.
func TestLinks(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, secret := filepath.Join(root, "project"), filepath.Join(root, "secret")
	for _, dir := range []string{project, secret, filepath.Join(project, "src")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"src/out": secret, "src/relative": "../../secret", "src/dangling": "../../secret/new", "src/in": "../src",
	} {
		if err := os.Symlink(target, filepath.Join(project, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(project, filepath.Join(root, "alias")); err != nil {
		t.Fatal(err)
	}
	allow := mustSet(t, Allow, "Edit(src/**)")
	deny := mustSet(t, Deny, "Edit(/"+secret+"/**)")
	for _, directory := range []string{project, filepath.Join(root, "alias")} {
		for file, inside := range map[string]bool{
			"src/new": true, "src/new/deep": true, "src/in/new": true, "src/out/x": false, "src/relative/x": false, "src/dangling": false,
		} {
			c := callOf("Write", "file_path", file)
			c.Place = Place{Directory: directory, Home: root}
			c.Real = Resolve(c)
			if got := allow.Decide(c); (got.Effect == Allow) != inside {
				t.Errorf("in %s: allow %s: %v", filepath.Base(directory), file, got.Effect)
			}
			if got := deny.Decide(c); (got.Effect == Deny) == inside {
				t.Errorf("in %s: deny %s: %v", filepath.Base(directory), file, got.Effect)
			}
		}
	}
}

// TestOtherTools compares names, addresses and kinds with rules.
func TestOtherTools(t *testing.T) {
	for _, c := range []struct {
		rule  string
		call  Call
		allow bool
		deny  Effect
	}{
		{"WebFetch(domain:example.com)", callOf("WebFetch", "url", "https://Example.com:443/x"), true, Deny},
		{"WebFetch(domain:example.com)", callOf("WebFetch", "url", "https://a.example.com/x"), false, Deny},
		{"WebFetch(domain:*.example.com)", callOf("WebFetch", "url", "https://a.example.com/x"), true, Deny},
		{"WebFetch(domain:example.com)", callOf("WebFetch", "url", "https://example.com@evil.org/"), false, Ask},
		{"WebFetch(domain:example.com)", callOf("WebFetch", "url", "https://notexample.com/"), false, None},
		{"mcp__github__*", callOf("mcp__github__list"), true, Deny},
		{"mcp__github", callOf("mcp__github__list"), true, Deny},
		{"mcp__github__list", callOf("mcp__github__listen"), false, None},
		{"mcp__git__*", callOf("mcp__github__list"), false, None},
		{"Agent(Explore)", callOf("Task", "subagent_type", "Explore"), true, Deny},
		{"Agent(Explore)", callOf("Agent", "subagent_type", "Plan"), false, None},
		{"Read", callOf("Read", "file_path", "x"), true, Deny},
		{"Read", callOf("Grep", "path", "x"), false, None},
	} {
		if got := mustSet(t, Allow, c.rule).Decide(c.call); (got.Effect == Allow) != c.allow {
			t.Errorf("allow %s: %s %s: %v", c.rule, c.call.Tool, c.call.Input, got.Effect)
		}
		if got := mustSet(t, Deny, c.rule).Decide(c.call); got.Effect != c.deny {
			t.Errorf("deny %s: %s %s: %v", c.rule, c.call.Tool, c.call.Input, got.Effect)
		}
	}
}

// TestOrder checks which list decides.
func TestOrder(t *testing.T) {
	s, problems := New(
		Rule{Effect: Allow, Text: "Bash"}, Rule{Effect: Ask, Text: "Bash(git push *)"}, Rule{Effect: Deny, Text: "Bash(git push --force *)"},
	)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for command, want := range map[string]Effect{"ls": Allow, "git push": Ask, "ls; git push x": Ask, "git push x && git push --force y": Deny, "'": Ask} {
		if got := s.Decide(bash(command)); got.Effect != want {
			t.Errorf("%q: %v (%s)", command, got.Effect, got.Why)
		}
	}
	var none *Set
	if got := none.Decide(bash("ls")); got.Effect != None || none.Len() != 0 {
		t.Error("the nil set decides")
	}
}

// TestProblems checks the problems of rules that cannot be read.
func TestProblems(t *testing.T) {
	for text, want := range map[string]string{
		"":            `rule "": "" does not begin with the name of a tool`,
		"Bash(":       `rule "Bash(": "Bash(" has no closing parenthesis at its end`,
		"Bash()":      `rule "Bash()": "Bash()" has nothing in its parentheses; leave them out to mean every call`,
		"*":           `rule "*": "*" would allow tools that the rule does not name: write the server out, as in mcp__server__*`,
		"mcp__*__x":   `rule "mcp__*__x": "mcp__*__x" would allow tools that the rule does not name: write the server out, as in mcp__server__*`,
		"mcp__*(x)":   `rule "mcp__*(x)": "mcp__*" would allow tools that the rule does not name: write the server out, as in mcp__server__*`,
		"Monitor(x)":  `rule "Monitor(x)": ` + errUnknownArgument.Error(),
		"Read([a)":    `rule "Read([a)": ` + errUnknownArgument.Error(),
		"Bash tool x": `rule "Bash tool x": "Bash tool x" does not begin with the name of a tool`,
	} {
		_, problems := New(Rule{Effect: Allow, Text: text})
		if len(problems) != 1 || problems[0].Error() != want {
			t.Errorf("%q: %v", text, problems)
		}
	}
	s, _ := New(Rule{Effect: Deny, Text: "Monitor(x)"})
	if got := s.Decide(callOf("Monitor")); got.Effect != Ask {
		t.Errorf("a rule that only the agent understands: %v", got.Effect)
	}
	s, _ = New(Rule{Effect: Allow, Text: "Monitor(x)"})
	if got := s.Decide(callOf("Monitor")); got.Effect != None {
		t.Errorf("a rule that only the agent understands: %v", got.Effect)
	}
}

// BenchmarkDecide decides among a thousand rules, of which none matches.
func BenchmarkDecide(b *testing.B) {
	var all []Rule
	for n := range 1000 {
		all = append(all, Rule{Effect: Effect(1 + n%3), Text: fmt.Sprintf("Bash(tool%d * --x)", n)})
	}
	s, _ := New(all...)
	call := bash("cd src && git add . && git commit -m 'a message' && npm run test -- --watch | tee log")
	b.ReportAllocs()
	for b.Loop() {
		s.Decide(call)
	}
}
