package markdown

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	xansi "github.com/charmbracelet/x/ansi"

	"betcode/messages/visible"
)

var attributes = regexp.MustCompile(`^\x1b\[[0-9;]*m$`)

// shown returns a text as it is rendered, without colours.
func shown(text string, width int) string {
	return strings.Join(Render(false, text, width), "\n")
}

func TestMarkdown(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"words wrap":       {"one two three four five", "one two\nthree four\nfive"},
		"line ends stay":   {"one\ntwo", "one\ntwo"},
		"a type is text":   {"use Map<K, V>", "use Map<K,\nV>"},
		"html is text":     {"<b>x</b>", "<b>x</b>"},
		"a list":           {"- a\n- b", "• a\n• b"},
		"a list in a list": {"- a\n  1. b\n  2. c c c c c", "• a\n  1. b\n  2. c c c c\n     c"},
		"loose":            {"- a\n\n- b", "• a\n\n• b"},
		"tasks":            {"- [ ] a\n- [x] b", "• [ ] a\n• [x] b"},
		"a quotation":      {"> one two three", "│ one two\n│ three"},
		"a heading":        {"## A *b*\nc", "## A b\n\nc"},
		"a rule":           {"a\n\n---", "a\n\n────────────"},
		"a link":           {"[a](http://x)", "a (http://x)"},
		"a link by itself": {"<http://x>", "http://x"},
		"an image":         {"![a](i.png)", "image: a\n(i.png)"},
		"code in a line":   {"`a*b*`", "`a*b*`"},
		"an escape":        {`a\*b\_c`, "a*b_c"},
		"a table":          {"a|b\n-|-:\nx|y y y y y y", "a │        b\n──┼─────────\nx │  y y y y\n  │      y y"},
		"a wide table":     {"a|b|c\n-|-|-\nx|y|z", "a\nb\nc\nx\ny\nz"},
		"struck":           {"~~a~~", "a"},
		"long code":        {"```\n0123456789ab\n```", "  0123456789\n  ab"},
		"entities":         {"a &lt; b &amp;", "a < b &"},
		"a hidden entity":  {"&#27;[2J &rlm;x", "&#27;[2J\n&rlm;x"},
		"a control":        {"a\x1b[2Jb", `a\x1b[2Jb`},
		"a long word":      {strings.Repeat("x", 25), strings.Repeat("x", 12) + "\n" + strings.Repeat("x", 12) + "\nx"},
		"code is verbatim": {"```\n<a> *b*\n```", "  <a> *b*"},
	} {
		if got := shown(test.text, 12); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// FuzzMarkdown renders anything: what reaches the terminal has colours and attributes as its only escape sequences, no hidden
// character, and no row that is too wide.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"# a\n\nb", "[x](javascript:alert(1))", "![i](http://h/\x1b[2J)", "&#x1b;]0;t&#7;", "```go\nx := 1\n```", "| a | b |\n|---|---|\n| \x9b1m | &Tab; |",
		"\x1b]8;;http://x\x07y\x1b]8;;\x07", "<script>&zwj;</script>", "1. a\n\n   b\n", "\u202eabc", "~~x~~ `a\x00b`",
	} {
		f.Add(seed, 20)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		if len(text) > 4<<10 || width < 4 || width > 200 {
			t.Skip()
		}
		for _, row := range Render(true, text, width) {
			check(t, row, width)
		}
	})
}

func check(t *testing.T, row string, width int) {
	t.Helper()
	rest := row
	for rest != "" {
		sequence, _, n, _ := xansi.DecodeSequence(rest, 0, nil)
		if strings.HasPrefix(sequence, "\x1b") && !attributes.MatchString(sequence) {
			t.Fatalf("the terminal would obey %q in %q", sequence, row)
		}
		rest = rest[n:]
	}
	plain := xansi.Strip(row)
	if i := strings.IndexFunc(plain, func(r rune) bool { return unicode.IsControl(r) || visible.Hidden(r) && r != '\ufe0f' && r != '\u00a0' }); i >= 0 {
		t.Fatalf("%q is hidden in %q", plain[i:min(i+8, len(plain))], row)
	}
	if xansi.StringWidth(row) > width+1 {
		t.Fatalf("%q has %d columns of %d", row, xansi.StringWidth(row), width)
	}
}

// BenchmarkRender renders what an agent writes, and a line without an end.
func BenchmarkRender(b *testing.B) {
	for name, text := range map[string]string{
		"prose":    strings.Repeat("Some *words* with `code` and a [link](http://x) in them.\n\n- one\n- two\n\n", 40),
		"code":     "```go\n" + strings.Repeat("func f(x int) string { return \"text\" } // comment\n", 80) + "```\n",
		"one line": strings.Repeat("x", 1<<20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Render(true, text, 80)
			}
		})
	}
}
