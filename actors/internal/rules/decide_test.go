package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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
