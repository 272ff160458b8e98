package rules

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// fuzzed is a set with a rule for most commands.
func fuzzed(t testing.TB) *Set {
	t.Helper()
	s, problems := New(
		Rule{Effect: Deny, Text: "Bash(rm *)"}, Rule{Effect: Deny, Text: "Bash(curl * | *)"},
		Rule{Effect: Ask, Text: "Bash(git push *)"},
		Rule{Effect: Allow, Text: "Bash(git *)"}, Rule{Effect: Allow, Text: "Bash(echo *)"}, Rule{Effect: Allow, Text: "Bash(true)"},
	)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return s
}

// rank orders effects from the strictest on.
func rank(e Effect) int {
	if e == None {
		return int(Ask) // a person is asked
	}
	return int(e)
}

// wrappings are ways to compose a command that must not make its decision milder.
var wrappings = []string{
	"(\nX\n)", "{\nX\n}", "true\nX\n", "X\ntrue", "! {\nX\n}", "if true; then\nX\nfi", "if\nX\nthen true; fi", "while\nX\ndo true; done",
	"f() {\nX\n}", "echo $(\nX\n)", "echo \"$(\nX\n)\"", "echo <(\nX\n)", "true && {\nX\n}", "true || {\nX\n}", "true | {\nX\n}",
	"{\nX\n} &", "{\nX\n} > /dev/null", "x=$(\nX\n)", "case a in a)\nX\n;; esac", "for x in a; do\nX\ndone", "[[ -n $(\nX\n) ]]",
}

// FuzzComposing checks that composing a command never moves its decision from deny
// towards ask, or from ask towards allow.
func FuzzComposing(f *testing.F) {
	for _, seed := range []string{
		"rm -rf /", "git status", "git push", "echo hello", "ls", "sudo rm x", "echo {a,b}", "echo 'a b' \"c\" $'d'", "echo <<E\nx\nE",
		"git log > x", "bash -c 'rm x'", "$x", "a=b git status", "echo \\\nrm", "echo ~ * ?", "for ((;;)); do rm x; done", "echo #rm",
		"echo `rm x`", "echo ${x:-$(rm x)}", "echo $((1+$(rm x)))", "cat <<<\"$(rm x)\"", "cat <<'E'\n$(rm x)\nE", "a=(x $(rm y)); git status", "f() { rm x; }; f",
		"coproc rm x", "time git push", "select x in a; do git push; done", "until git push; do true; done", "[[ a =~ $(rm x) ]]", "declare x=$(rm y)",
		"git log |& rm x", "git status & rm x", "rm x 2>&1 >/dev/null", "eval 'rm x'", "exec rm x", "env -i rm x", "xargs rm", "curl x | sh", "! git push", "((x = $(rm y)))",
		"case $(rm x) in a) ;& b) git push;; esac", "echo ${x[$(rm y)]}", "git \\\npush", "r\\m x", "'rm' x", "\"git\" push", "git${IFS}push", "function g { git push; }", "let x=1",
	} {
		f.Add(seed)
	}
	s := fuzzed(f)
	f.Fuzz(func(t *testing.T, command string) {
		if apart := takeApart(bash(command), false); len(apart.parts) == 0 || !parses(command) || strings.HasSuffix(command, `\`) {
			return // nothing is in it, or it takes the end of its line away
		}
		alone := s.Decide(bash(command))
		for _, w := range wrappings {
			whole := strings.Replace(w, "X", command, 1)
			if !parses(whole) {
				continue
			}
			if got := s.Decide(bash(whole)); rank(got.Effect) > rank(alone.Effect) {
				t.Errorf("%q is %v (%s)\n%q is %v (%s)", command, alone.Effect, alone.Why, whole, got.Effect, got.Why)
			}
		}
	})
}

func parses(command string) bool {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	return err == nil
}

// FuzzRule checks that any text is a rule or a problem, and that no call makes it panic.
func FuzzRule(f *testing.F) {
	f.Add("Bash(git *)", "Bash", `{"command":"git x"}`)
	f.Add("Read(~/x/**)", "Read", `{"file_path":"/x"}`)
	f.Add("mcp__a__*", "mcp__a__b", `{}`)
	f.Add("WebFetch(domain:x)", "WebFetch", `{"url":"http://x"}`)
	for _, seed := range [][3]string{
		{"Bash", "Bash", `{"command":"x"}`},
		{"Bash()", "Bash", `{"command":""}`},
		{"Bash(npm run test:*)", "Bash", `{"command":"npm run test -- x"}`},
		{"Bash(* --help)", "Bash", `{"command":"git push --help"}`},
		{"Bash(curl * | *)", "Bash", `{"command":"curl x | sh"}`},
		{`Bash(a\)b)`, "Bash", `{"command":"a)b"}`},
		{"Edit(src/**/*.ts)", "Edit", `{"file_path":"/p/src/a/b.ts"}`},
		{"Write(//etc/**)", "Write", `{"file_path":"/etc/x"}`},
		{"Read(./.env)", "Read", `{"file_path":"../x/.env"}`},
		{"Read(!x)", "Grep", `{"path":"/x","pattern":"y"}`},
		{"Edit(/a/[b-d]?.go)", "MultiEdit", `{"file_path":"/a/c1.go"}`},
		{"Edit", "NotebookEdit", `{"notebook_path":"/a"}`},
		{"mcp__github", "mcp__github__get", `{}`},
		{"mcp__*__get", "mcp__a__get", `null`},
		{"*", "Anything", `[]`},
		{"Agent(Explore)", "Agent", `{"subagent_type":"Explore"}`},
		{"WebFetch(domain:*.x.org)", "WebFetch", `{"url":"HTTPS://a.x.ORG:8/y"}`},
		{"WebSearch", "WebSearch", `{"query":"x"}`},
		{"Skill(x)", "Skill", `{"skill":"x"}`},
		{"Bash(", "Bash", `{`},
		{")", "", ``},
		{"", "Bash", `{"command":7}`},
		{" Bash ( x ) ", "Bash", `{"command":" x "}`},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, rule, tool, input string) {
		for _, e := range []Effect{Deny, Ask, Allow} {
			s, problems := New(Rule{Effect: e, Text: rule})
			got := s.Decide(Call{Tool: tool, Input: []byte(input), Place: here})
			if s.Len() == 0 && len(problems) == 0 {
				t.Error("neither a rule nor a problem")
			}
			if got.Effect != None && got.Effect != e && got.Effect != Ask {
				t.Errorf("%v rule: %v", e, got.Effect)
			}
		}
	})
}
