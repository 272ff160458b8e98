package query

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func (q Query) String() string {
	var out []string
	add := func(sign string, clauses []Clause) {
		for _, c := range clauses {
			var text []string
			for _, w := range c {
				if w.Prefix {
					w.Text += "*"
				}
				text = append(text, w.Text)
			}
			out = append(out, sign+strings.Join(text, "+"))
		}
	}
	add("", q.Want)
	add("-", q.Exclude)
	return strings.Join(out, " ")
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"  Hello  world ", "hello world"},
		{`"hello world" x`, "hello+world x"},
		{`"never closed`, "never+closed"},
		{`a"b c"d`, "a b+c d"},
		{"read*", "read*"},
		{`"read fi"*`, "read+fi*"},
		{"readFi*", "read+fi*"},
		{"readFile read_file", "read+file read+file"},
		{"cmd/betcode/main.go", "cmd+betcode+main+go"},
		{"go -test", "go -test"},
		{`go -"a b"`, "go -a+b"},
		{"go - test", "go test"},
		{"++ -- \"\" go", "go"},
		{"搜索历史", "搜索+索历+历史"},
		{"史", "史*"},
		{"--flag x", "x -flag"},
	} {
		q, err := Parse(c.text)
		if err != nil || q.String() != c.want {
			t.Errorf("%q: %q, %v; want %q", c.text, q.String(), err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"-a", "a*", strings.Repeat("x", MaxText+1), strings.Repeat("ab ", 33), strings.Repeat("ab* ", 9), strings.Repeat("a.b.c.d ", 20),
	} {
		if q, err := Parse(text); err == nil {
			t.Errorf("%.20q: %s", text, q)
		}
	}
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("word ", 100) + "needle in a\n\n  haystack " + strings.Repeat("word ", 100)
	for _, c := range []struct{ query, text, want string }{
		{"b", "a b c", "a [b] c"},
		{`"b c"`, "b x b c", "b x [b c]"},
		{"readfile", "use readFile now", "use [readFile] now"},
		{"read", "use readFile now", "use [read]File now"},
		{"索历", "搜索历史", "搜[索历]史"},
		{"搜索历史", "全文搜索历史。", "全文[搜索历史]。"},
		{"need*", long, "… word word word word word word word word [needle] in a haystack word word word word word word word word word word word word word word word word word word word word …"},
		{"none", "a\n\tb", "a b"},
	} {
		q, err := Parse(c.query)
		if err != nil {
			t.Fatal(err)
		}
		text, ranges := q.Snippet(c.text)
		got, last := "", 0
		for _, r := range ranges {
			got += text[last:r.Start] + "[" + text[r.Start:r.End] + "]"
			last = r.End
		}
		if got += text[last:]; got != c.want {
			t.Errorf("%q in %.30q:\n%s\n%s", c.query, c.text, got, c.want)
		}
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("a b*", "x a b\n c")
	f.Add(`"搜索"`, "全文搜索")
	f.Add("aB", "a_b aB"+strings.Repeat(" x", 200))
	f.Fuzz(func(t *testing.T, search, text string) {
		q, err := Parse(search)
		if err != nil {
			return
		}
		text = strings.ToValidUTF8(text, "")
		snippet, ranges := q.Snippet(text)
		if !utf8.ValidString(snippet) || len(snippet) > 3*snippetBytes {
			t.Fatalf("snippet of %d bytes %q", len(snippet), snippet)
		}
		last := 0
		for _, r := range ranges {
			if r.Start < last || r.End < r.Start || r.End > len(snippet) {
				t.Fatal(fmt.Sprint(ranges), len(snippet))
			}
			if !utf8.ValidString(snippet[r.Start:r.End]) {
				t.Fatalf("%q is cut", snippet[r.Start:r.End])
			}
			last = r.End
		}
	})
}
