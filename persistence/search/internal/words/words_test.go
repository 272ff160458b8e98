package words

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func cut(text string) string {
	var out []string
	position := -1
	for w := range Of(text) {
		mark := ""
		if w.Position == position || w.Whole {
			mark = "="
		}
		if w.Last {
			mark += "."
		}
		position = w.Position
		out = append(out, mark+w.Text)
	}
	return strings.Join(out, " ")
}

func TestOf(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"Hello, World!", "hello world"},
		{"readFile", "read file =readfile"},
		{"read_file", "read file =readfile"},
		{"HTTPServer v2", "http server =httpserver v2"},
		{"sha256Sum", "sha256 sum =sha256sum"},
		{"cmd/betcode/main.go", "cmd betcode main go"},
		{"__init__", "init"},
		{"don't", "don t"},
		{"Ärger, ÉCOLE, Ångström, naïve", "arger ecole angstrom naive"},
		{"Straße ΣΊΣΥΦΟΣ", "strasse σισυφοσ"},
		{"Привет, мир; ёлка", "привет мир елка"},
		{"ｆｕｌｌ ﬁne", "full fine"},
		{"搜索历史", "搜索 索历 历史 .史"},
		{"日本語のテスト", "日本 本語 語の のテ テス スト .ト"},
		{"字", ".字"},
		{"검색어를", "검색 색어 어를 .를"},
		{"fix修复bug", "fix 修复 .复 bug"},
		{"מצא את הקובץ", "מצא את הקובץ"},
		{"हिन्दी", "हिन्दी"},
		{"x\xffy", "x y"},
	} {
		if got := cut(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// A spelling is found by another one of the same word.
func TestSpellingsShareAForm(t *testing.T) {
	for _, pair := range [][2]string{{"CAFÉ", "cafe\u0301"}, {"ﬁ", "FI"}, {"Ⅳ", "iv"}, {"İ", "i"}} {
		if a, b := cut(pair[0]), cut(pair[1]); a != b {
			t.Errorf("%q is %q, %q is %q", pair[0], a, pair[1], b)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, seed := range []string{"readFile HTTPServer", "搜索x_历史", "a\u0301", strings.Repeat("x", 300), "\xff_\xfe", "𝒜_b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		position := 0
		for w := range Of(text) {
			if w.Text == "" || len(w.Text) > MaxBytes || !utf8.ValidString(w.Text) {
				t.Fatalf("word %q", w.Text)
			}
			if w.Start < 0 || w.Start >= w.End || w.End > len(text) {
				t.Fatalf("%q is at %d…%d of %d", w.Text, w.Start, w.End, len(text))
			}
			if !w.Whole && w.Position < position {
				t.Fatalf("position %d behind %d", w.Position, position)
			}
			position = max(position, w.Position)
		}
	})
}
