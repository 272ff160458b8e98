package editor

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// keys presses keys by name; other words are typed.
func keys(e *Editor, names ...string) {
	for _, name := range names {
		if strings.HasPrefix(name, "'") {
			e.Key(Key{Name: name[1:], Text: name[1:]})
		} else {
			e.Key(Key{Name: name})
		}
	}
}

func TestEditorKeys(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		keys  []string
		want  string
		again string // what Ctrl-_ returns to
	}{
		"type":              {"ab", []string{"'c"}, "abc", "ab"},
		"in the middle":     {"ac", []string{"left", "'b"}, "abc", "ac"},
		"line end":          {"a", []string{"alt+enter", "'b"}, "a\nb", "a\n"},
		"word back":         {"one two", []string{"ctrl+w"}, "one ", "one two"},
		"word forward":      {"one two", []string{"ctrl+a", "alt+d"}, " two", "one two"},
		"to the beginning":  {"one\ntwo", []string{"ctrl+u"}, "one\n", "one\ntwo"},
		"to the end":        {"one\ntwo", []string{"up", "ctrl+a", "ctrl+k"}, "\ntwo", "one\ntwo"},
		"cut and insert":    {"one two", []string{"ctrl+w", "ctrl+a", "ctrl+y"}, "twoone ", "one "},
		"an accent is one":  {"e\u0301", []string{"backspace"}, "", "e\u0301"},
		"a family is one":   {"a👨‍👩‍👧b", []string{"left", "backspace"}, "ab", "a👨‍👩‍👧b"},
		"delete":            {"ab", []string{"home", "delete"}, "b", "ab"},
		"words":             {"one two", []string{"alt+b", "alt+b", "alt+f", "',"}, "one, two", "one two"},
		"nothing to delete": {"", []string{"backspace", "delete", "ctrl+w"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var e Editor
			e.SetWidth(80)
			e.SetText(test.text)
			if keys(&e, test.keys...); e.Text() != test.want {
				t.Errorf("%q, want %q", e.Text(), test.want)
			}
			if keys(&e, "ctrl+_"); e.Text() != test.again {
				t.Errorf("undone to %q, want %q", e.Text(), test.again)
			}
		})
	}
}

// A long paste is one element: it is shown folded, removed by one key, restored by undo, and sent in full.
func TestPasteIsFolded(t *testing.T) {
	long := strings.Repeat("line\r\n", 200)
	want := "see " + strings.Repeat("line\n", 200) + "!"
	var e Editor
	e.SetText("see ")
	e.Paste(long)
	keys(&e, "'!")
	rows, _, column := e.View(80, 8)
	if e.Text() != want || len(rows) != 1 || rows[0] != "see [200 lines pasted]!" || column != len(rows[0]) {
		t.Errorf("shown %q, cursor at %d, %d bytes", rows, column, len(e.Text()))
	}
	keys(&e, "left", "backspace")
	if e.Text() != "see !" {
		t.Errorf("after Backspace: %q", e.Text())
	}
	if keys(&e, "ctrl+_"); e.Text() != want {
		t.Errorf("undone: %d bytes", len(e.Text()))
	}
	e.Paste("short")
	if !strings.Contains(e.Text(), "short") {
		t.Error("a short paste is text")
	}
}

// Pasted control characters are part of the message, and cannot reach the terminal.
func TestControlCharactersAreShown(t *testing.T) {
	var e Editor
	e.Paste("a\x1b[2Jb\u202e")
	if rows, _, _ := e.View(80, 8); rows[0] != `a\x1b[2Jb\u202e` || e.Text() != "a\x1b[2Jb\u202e" {
		t.Errorf("shown %q, text %q", rows, e.Text())
	}
}

func TestRowsBreakBetweenWords(t *testing.T) {
	var e Editor
	e.SetText("one two three\nfour 漢字漢字")
	rows, row, column := e.View(9, 8)
	want := []string{"one two ", "three", "four ", "漢字漢字"}
	if strings.Join(rows, "|") != strings.Join(want, "|") || row != 3 || column != 8 {
		t.Errorf("rows %q, cursor at %d, %d", rows, row, column)
	}
	keys(&e, "up", "up", "'!")
	if e.Text() != "one two three!\nfour 漢字漢字" {
		t.Errorf("%q", e.Text())
	}
}

// Whatever is pressed, the rows contain the whole text in order, none is too wide, and undo returns to the beginning.
func TestEditorProperties(t *testing.T) {
	names := []string{
		"left", "right", "home", "end", "up", "down", "alt+b", "alt+f", "backspace", "delete", "ctrl+w", "alt+d", "ctrl+u", "ctrl+k",
		"ctrl+y", "alt+enter", "'a", "' ", "'é", "'漢", "'\u0301",
	}
	rapid.Check(t, func(t *rapid.T) {
		var e Editor
		width := rapid.IntRange(4, 30).Draw(t, "width")
		e.SetWidth(width)
		changes := 0
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 60).Draw(t, "keys") {
			before := e.Text()
			keys(&e, name)
			if e.Text() != before {
				changes++
			}
			if e.cursor < 0 || e.cursor > len(e.text) {
				t.Fatalf("cursor at %d of %d", e.cursor, len(e.text))
			}
		}
		rows, row, column := e.View(width, 1000)
		if got, want := strings.Join(rows, ""), strings.ReplaceAll(e.Text(), "\n", ""); got != want {
			t.Fatalf("shown %q, want %q", got, want)
		}
		if row < 0 || row >= len(rows) || column > width {
			t.Fatalf("cursor at %d, %d of %q", row, column, rows)
		}
		for range maxUndo {
			keys(&e, "ctrl+_")
		}
		if changes < maxUndo && e.Text() != "" {
			t.Fatalf("undone to %q", e.Text())
		}
	})
}

func TestHistory(t *testing.T) {
	var e Editor
	var h History
	h.SetEntries([]string{"make test", "make build", "git push"})
	e.SetText("draft")
	for _, want := range []string{"git push", "make build", "make test", "make test"} {
		if h.Up(&e); e.Text() != want {
			t.Errorf("up: %q, want %q", e.Text(), want)
		}
	}
	for _, want := range []string{"make build", "git push", "draft", "draft"} {
		if h.Down(&e); e.Text() != want {
			t.Errorf("down: %q, want %q", e.Text(), want)
		}
	}
	search := func(k string) bool {
		if len(k) == 1 {
			return h.SearchKey(Key{k, k}, &e)
		}
		return h.SearchKey(Key{Name: k}, &e)
	}
	for _, step := range []struct{ key, want string }{
		{"ctrl+r", "draft"},
		{"M", "make build"},
		{"a", "make build"},
		{"ctrl+r", "make test"},
		{"z", "make test"},
		{"backspace", "make build"},
		{"esc", "draft"},
		{"ctrl+r", "draft"},
		{"g", "git push"},
		{"enter", "git push"},
	} {
		if !search(step.key) || e.Text() != step.want {
			t.Errorf("%s: %q, want %q", step.key, e.Text(), step.want)
		}
	}
	if search("x") {
		t.Error("the search is over")
	}
}

func TestCompletions(t *testing.T) {
	var e Editor
	var c Completions
	e.SetText("look at @cm")
	word, wanted := c.Wanted(&e)
	if word != "@cm" || !wanted {
		t.Fatal(word, wanted)
	}
	c.Set(&e, "@other", []Choice{{Text: "@x"}})
	if c.Open() {
		t.Error("an answer for another word is shown")
	}
	c.Set(&e, word, []Choice{{Text: "@cmake"}, {Text: "@cmd/"}})
	c.Key(Key{Name: "down"}, &e)
	if c.Key(Key{Name: "tab"}, &e); e.Text() != "look at @cmd/" || c.Open() {
		t.Errorf("%q", e.Text())
	}
	word, _ = c.Wanted(&e)
	c.Set(&e, word, []Choice{{Text: "@cmd/main.go"}})
	c.Key(Key{Name: "esc"}, &e)
	if _, wanted = c.Wanted(&e); wanted || c.Open() {
		t.Error("Esc closes the list until the word changes")
	}
	e.SetText("and / or")
	if _, wanted := c.Wanted(&e); wanted {
		t.Error("a slash in the text is no command")
	}
}
