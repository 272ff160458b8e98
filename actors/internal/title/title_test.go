package title

import (
	"strings"
	"testing"
	"unicode/utf8"

	"betcode/messages/masking"
	"betcode/messages/visible"
)

func TestOf(t *testing.T) {
	for prompt, want := range map[string]string{
		"":                                  "",
		" \n\t\n---\n":                      "",
		"fix the tests":                     "fix the tests",
		"  \n\n  Fix the tests.\nAll":       "Fix the tests",
		"Mend main.go. Then run the tests.": "Mend main.go",
		"Why is it slow? It was not.":       "Why is it slow?",
		"Hi. Please rename the package.":    "Hi. Please rename the package",
		"Use a tool, e.g. Bash, to find it. Then stop.":           "Use a tool, e.g. Bash, to find it",
		"Update to version 1.2. 3 files change.":                  "Update to version 1.2",
		"# Task\n\nDo it":                                         "Task",
		"> - **Read** the docs":                                   "**Read** the docs",
		"```go\nfunc main() {}\n```":                              "func main() {}",
		"1. first step of three":                                  "first step of three",
		"テストを直してください。それから実行して。":                                   "テストを直してください",
		"a\x1b[31mred\x1b[0m \u202eevil\u2066 te\u200bxt\x00":     "a[31mred[0m evil text",
		"tabs\tand   many spaces":                                 "tabs and many spaces",
		"log in with password=hunter2hunter2 please":              "log in with password=*** please",
		"use sk-ant-REDACTED now":                                 "use *** now",
		"bad \xff\xfe bytes":                                      "bad bytes",
		strings.Repeat("word ", 30):                               strings.TrimSpace(strings.Repeat("word ", 12)) + "…",
		strings.Repeat("x", 100):                                  strings.Repeat("x", 59) + "…",
		"/compact keep the plan":                                  "/compact keep the plan",
		"see https://example.org/a.html, and the page behind it.": "see https://example.org/a.html, and the page behind it",
	} {
		if got := Of(prompt); got != want {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
}

// FuzzOf checks that a title is one short line of visible text without secrets.
func FuzzOf(f *testing.F) {
	for _, seed := range []string{"", "Fix it. Now", "a\u0301\u0301", strings.Repeat("é", 99), "token: abcdefgh", "\u202e", "``` a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		got := Of(prompt)
		if n := utf8.RuneCountInString(got); n > Max {
			t.Errorf("%d characters: %q", n, got)
		}
		if !utf8.ValidString(got) || strings.ContainsFunc(got, visible.Hidden) {
			t.Errorf("hidden characters: %q", got)
		}
		if masked := masking.New(nil).Mask(got); masked != got {
			t.Errorf("a secret: %q", got)
		}
	})
}
