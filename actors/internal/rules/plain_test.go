package rules

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"
)

// TestPlain checks the commands that no allow rule with an argument matches, and the reason
// that people get.
func TestPlain(t *testing.T) {
	s := mustSet(t, Allow, "Bash(* *)", "Bash(git)")
	for command, why := range map[string]string{
		"git x && git y || git 'a b'; git \"c\nd\" | git e\ngit 2>&1 >/dev/null": "",
		"[[ -v x ]]": "a test clause is not plain", "git x; [[ 'a[$(rm y)]' -eq 0 ]]": "a test clause is not plain",
		"git x # y": "a comment is not plain", "git x # y\\\nrm x": "a comment is not plain", "git <<E\nE": "a here-document is not plain",
		"git <<< x": "a here-document is not plain", "git \\\nx": "a backslash before a newline is not plain", "git \"\\\n\"": "a backslash before a newline is not plain",
		"git x\r": controlReason, "git 'x\x01'": controlReason, "git \"\x7f\"": controlReason, "git \\\x01": "a backslash beside such a character is not plain",
		"git x\u00a0y": "an unquoted character beyond ASCII is not plain", "git $x": "an expansion is not plain", "git \"`x`\"": "an expansion is not plain",
		"git $'x'": "an expansion is not plain", "git {a,b}": "braces are not plain", "git & x": "a background job is not plain", "git |& x": "|& is not plain",
		"git > x": "it redirects to or from a file", "git >& x": "it redirects to or from a file", "git > /dev/nullx": "it redirects to or from a file",
		"git &>/dev/null": "", "git &>/dev/null rm x": "a word behind the redirection &> is not plain", "(git x)": "parentheses are not plain", "git x ~": "an unquoted ~ is not plain",
		"git --x=~/y": "an unquoted ~ is not plain", "git HEAD~1 HEAD^ *.go": "", "x=1 git y": "it sets variables", "git =x": "an unquoted = is not plain", "! git x": "an unquoted ! is not plain",
		"time git x": "`time` is not the name of a plain command", "export x=1": "it changes what later commands mean", "g? x": "an unquoted ? is not plain",
		"printf -v x y": "it changes variables", "read x": "it changes variables", "unset x": "it changes variables", "mapfile x": "it changes variables", "getopts a b": "it changes variables",
		"wait -p x": "it changes variables", "test -v x": "`test` may evaluate", "[ -v x ]": "`[` may evaluate", "printf %d 'a[$(rm x)]'": "`printf` may evaluate",
		"eval x": "it runs what is in its arguments", "sudo bash x": "it runs what is in its arguments", "alias x=y": "it changes what later commands mean", "git x;; git y": "it cannot be parsed",
	} {
		got := s.Decide(bash(command))
		if why == "" && got.Effect != Allow || why != "" && (got.Effect != None || !strings.Contains(got.Why, why)) {
			t.Errorf("%q: %v (%s), want %q", command, got.Effect, got.Why, why)
		}
	}
}

// TestLexerReadsBack checks that the lexer finds the words that were quoted.
func TestLexerReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want [][]string
		var b strings.Builder
		for n := range rapid.IntRange(1, 4).Draw(t, "commands") {
			if n > 0 {
				b.WriteString(rapid.SampledFrom([]string{"&&", " || ", ";", " | ", "\n", "\n\n", " ;\n"}).Draw(t, "operator"))
			}
			words := append([]string{"git"}, rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("ab $'\"\\`!#\n\té~{"))), 0, 4).Draw(t, "words")...)
			want = append(want, words)
			for n, w := range words {
				if n > 0 {
					b.WriteString(" ")
				}
				b.WriteString("'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'")
			}
		}
		got, why := lex(b.String())
		if why != "" || !slices.EqualFunc(got, want, sameWords) {
			t.Fatalf("%q: %v (%s)", b.String(), got, why)
		}
	})
}

// FuzzLexer checks that the lexer comes to an end, and that what it takes for plain
// has no byte that begins something else.
func FuzzLexer(f *testing.F) {
	for _, seed := range []string{"git x && y", "a 'b' \"c\" d\\e", "[ -f x ]", "x 2>&1 >/dev/null &>/dev/null", "a | b\nc;", "é", "\"é\\\\\"", "a\\", "2>", "<", "'", "&", "a &>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		commands, why := lex(command)
		if (why == "") != (len(commands) > 0) {
			t.Fatalf("%q: %v (%s)", command, commands, why)
		}
		if why != "" {
			return
		}
		if strings.Contains(command, "\\\n") && !strings.Contains(command, "'") || strings.ContainsAny(command, "\x00\r\x7f") {
			t.Errorf("%q is not plain", command)
		}
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
		if err != nil {
			return // then no allow rule matches
		}
		if parsed, ok := flat(file); ok && !slices.EqualFunc(commands, parsed, sameWords) {
			t.Logf("%q: the lexer reads %v, the parser %q", command, commands, parsed)
		}
	})
}
