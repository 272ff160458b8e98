package completion

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// breaks are the COMP_WORDBREAKS of bash.
const breaks = " \t\n\"'><=;|&(:"

func TestParseLine(t *testing.T) {
	for _, test := range []struct {
		line   string
		words  []string
		value  string // a candidate
		insert string
	}{
		{"betcode ", []string{""}, "attach", "attach"},
		{"betcode att", []string{"att"}, "attach", "attach"},
		{"betcode attach ", []string{"attach", ""}, "two words", `two\ words`},
		{`betcode attach two\ w`, []string{"attach", "two w"}, "two words", `two\ words`},
		{`betcode attach two\`, []string{"attach", "two"}, "two words", `two\ words`},
		{`betcode attach "two w`, []string{"attach", "two w"}, "two words", `two words"`},
		{`betcode attach 'two w`, []string{"attach", "two w"}, "two words", "two words'"},
		{`betcode attach "a\"b`, []string{"attach", `a"b`}, `a"b$c`, `a\"b\$c"`},
		{`betcode attach "a!`, []string{"attach", "a!"}, "a!b", `a"\!"b"`}, // bash reads ! also in double quotes
		{`betcode attach 'it`, []string{"attach", "it"}, "it's", `it'\''s'`},
		{"betcode attach a:c", []string{"attach", "a:c"}, "a:colon", "colon"},
		{`betcode attach a\:c`, []string{"attach", "a:c"}, "a:colon", "a:colon"},
		{"betcode run --session=w", []string{"run", "--session=w"}, "--session=web", "web"},
		{`betcode attach ""`, []string{"attach", ""}, "web", "web"},
		{`betcode attach two" w`, []string{"attach", "two w"}, "two words", ` words"`},
		{"betcode run '' ", []string{"run", "", ""}, "~x", `\~x`},
	} {
		l := ParseLine(test.line, breaks)
		if !slices.Equal(l.Words, test.words) {
			t.Errorf("%q: words %q", test.line, l.Words)
		}
		if got := l.Insert(test.value); got != test.insert {
			t.Errorf("%q: %q becomes %q", test.line, test.value, got)
		}
	}
}

// Bash reads what was inserted as the value, and runs nothing of it.
func TestInsertIsOneWord(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching("[ -~]{1,20}|[a`$(){}'\"\\\\;&|<>*?!~#: =ü]{1,20}").Draw(t, "value")
		open := rapid.SampledFrom([]string{"", `"`, "'"}).Draw(t, "quote")
		l := ParseLine("betcode attach "+open, breaks)
		script := "printf '%s\\n' " + open + l.Insert(value)
		out, err := exec.CommandContext(t.Context(), bash, "--norc", "-c", script).CombinedOutput()
		if err != nil || strings.TrimSuffix(string(out), "\n") != value {
			t.Fatalf("%s: %q, %v", script, out, err)
		}
	})
}
