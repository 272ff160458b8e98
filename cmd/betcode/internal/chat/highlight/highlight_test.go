package highlight

import (
	"fmt"
	"strings"
	"testing"
)

// marks name kinds in tests.
var marks = map[Kind]string{Keyword: "k", Text: "s", Number: "n", Comment: "c", Name: "v", Added: "+", Removed: "-", Section: "@"}

// marked writes tokens that are not plain as k<text>.
func marked(language, code string) string {
	var b strings.Builder
	for _, t := range Tokens(language, code) {
		if t.Kind == Plain {
			b.WriteString(t.Text)
		} else {
			fmt.Fprintf(&b, "%s<%s>", marks[t.Kind], t.Text)
		}
	}
	return b.String()
}

func TestTokens(t *testing.T) {
	for _, test := range []struct{ language, code, want string }{
		{"go", "func f() { return \"a\\\"b\" } // x", "k<func> f() { k<return> s<\"a\\\"b\"> } c<// x>"},
		{"go", "x := `a\nb` + 0x1F", "x := s<`a\nb`> + n<0x1F>"},
		{"{.go}", "/* a\nb */ var functional int", "c</* a\nb */> k<var> functional k<int>"},
		{"python", "def f(): # it's\n  '''a\nb'''", "k<def> f(): c<# it's>\n  s<'''a\nb'''>"},
		{"rust", "fn f<'a>(x: &'a str)", "k<fn> f<'a>(x: &'a k<str>)"},
		{"bash", "echo $HOME#x # y", "k<echo> v<$HOME>#x c<# y>"},
		{"sh", "don't-stop", "don't-stop"},
		{"json", `{"a": "b", "c": [1, true]}`, `{v<"a">: s<"b">, v<"c">: [n<1>, k<true>]}`},
		{"yaml", "key: value # x\nurl: http://h#y", "v<key>: value c<# x>\nv<url>: v<http>://h#y"},
		{"SQL", "Select 1 -- x", "k<Select> n<1> c<-- x>"},
		{"html", `<a href="x">t</a>`, `v<<a href="x">>tv<</a>>`},
		{"diff", "--- a\n+b\n-c\n@@ 1\n d", "c<--- a\n>+<+b\n>-<-c\n>@<@@ 1\n> d"},
		{"go", `"no end`, `s<"no end>`},
		{"brainfuck", "func", "func"},
		{"", "func", "func"},
	} {
		if got := marked(test.language, test.code); got != test.want {
			t.Errorf("%s %q:\n%s, want\n%s", test.language, test.code, got, test.want)
		}
	}
}

// FuzzTokens divides anything in each language: no byte is lost or added.
func FuzzTokens(f *testing.F) {
	for name := range languages {
		f.Add(name, "if x == \"a\\\" // b\n/* c `d` '''\n# e <f> $g-h: 1.5e3\x80")
	}
	f.Add("diff", "+a\n-b")
	f.Fuzz(func(t *testing.T, language, code string) {
		var b strings.Builder
		for _, token := range Tokens(language, code) {
			b.WriteString(token.Text)
		}
		if b.String() != code {
			t.Fatalf("%s: %q became %q", language, code, b.String())
		}
	})
}

// BenchmarkTokens divides 4 KiB of Go.
func BenchmarkTokens(b *testing.B) {
	code := strings.Repeat("func f(x int) string { return \"text\" } // comment\n", 80)
	b.SetBytes(int64(len(code)))
	for b.Loop() {
		Tokens("go", code)
	}
}
