package talk

import (
	"slices"
	"strings"
	"testing"
	"time"

	"betcode/cmd/betcode/internal/eventtest"
	"betcode/cmd/betcode/internal/inbox"
)

// feedAll gives chunks to an editor, a second apart.
func feedAll(e *editor, chunks ...string) (lines []Line, echo string, ended bool) {
	now := time.Unix(1000, 0)
	for _, chunk := range chunks {
		now = now.Add(time.Second)
		out := e.feed([]byte(chunk), now)
		lines, echo, ended = append(lines, out.lines...), echo+string(out.echo), ended || out.ended
	}
	return lines, echo, ended
}

func TestEditorLines(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, test := range map[string]struct {
		chunks []string
		want   []string
		pasted []bool
		ended  bool
	}{
		"typed":               {chunks: []string{"y", "\n"}, want: []string{"y"}, pasted: []bool{false}},
		"burst":               {chunks: []string{"y\n"}, want: []string{"y"}, pasted: []bool{true}},
		"burst of two":        {chunks: []string{"a\ny\n"}, want: []string{"a", "y"}, pasted: []bool{true, true}},
		"end of a burst":      {chunks: []string{"a\ny", "\n"}, want: []string{"a", "y"}, pasted: []bool{true, false}},
		"bracketed paste":     {chunks: []string{pasteBegins + "a\rb\n" + pasteEnds, "\n"}, want: []string{"a\nb"}, pasted: []bool{true}},
		"paste in pieces":     {chunks: []string{"\x1b[2", "00~y", "\x1b[201", "~", "\n"}, want: []string{"y"}, pasted: []bool{true}},
		"typed around paste":  {chunks: []string{"see ", pasteBegins + "a\nb" + pasteEnds, " please", "\n"}, want: []string{"see a\nb please"}, pasted: []bool{true}},
		"very long":           {chunks: []string{long, long, "\n"}, want: []string{long + long}, pasted: []bool{false}},
		"rubbed out":          {chunks: []string{"añ", "\x7f", "\x7f", "b", "\n"}, want: []string{"b"}, pasted: []bool{false}},
		"a word rubbed out":   {chunks: []string{"one two ", "\x17", "\n"}, want: []string{"one "}, pasted: []bool{false}},
		"all rubbed out":      {chunks: []string{pasteBegins + "y" + pasteEnds, "\x15", "n", "\n"}, want: []string{"n"}, pasted: []bool{false}},
		"arrows":              {chunks: []string{"a\x1b[A\x1bOB\x1b[1;5Cb", "\n"}, want: []string{"ab"}, pasted: []bool{false}},
		"empty":               {chunks: []string{"\n"}, want: []string{""}, pasted: []bool{false}},
		"end of input":        {chunks: []string{"\x04"}, ended: true},
		"end inside a line":   {chunks: []string{"a", "\x04", "\n"}, want: []string{"a"}, pasted: []bool{false}},
		"control in a paste":  {chunks: []string{pasteBegins + "\x04\x15a" + pasteEnds, "\n"}, want: []string{"\x04\x15a"}, pasted: []bool{true}},
		"control characters":  {chunks: []string{"\x01\x02a", "\n"}, want: []string{"a"}, pasted: []bool{false}},
		"continued":           {chunks: []string{"a\\", "\n", "b", "\r"}, want: []string{"a\nb"}, pasted: []bool{false}},
		"continued at once":   {chunks: []string{"a", "\\\n", "\\\n\n"}, want: []string{"a\n\n"}, pasted: []bool{false}},
		"a backslash inside":  {chunks: []string{"a\\b", "\n"}, want: []string{"a\\b"}, pasted: []bool{false}},
		"tabs":                {chunks: []string{"a\tb", "\n"}, want: []string{"a\tb"}, pasted: []bool{false}},
		"paste that goes on":  {chunks: []string{pasteBegins + "a\n", "b\n"}},
		"nothing but escapes": {chunks: []string{"\x1b", "[", "A"}},
	} {
		t.Run(name, func(t *testing.T) {
			lines, _, ended := feedAll(&editor{}, test.chunks...)
			var got []string
			var pasted []bool
			for _, l := range lines {
				got, pasted = append(got, l.text), append(pasted, l.pasted)
			}
			if !slices.Equal(got, test.want) || !slices.Equal(pasted, test.pasted) || ended != test.ended {
				t.Errorf("got %.80q, pasted %v, ended %v", got, pasted, ended)
			}
		})
	}
}

func TestEditorEcho(t *testing.T) {
	_, echo, _ := feedAll(&editor{}, "ab", "\x7f", "\x1b[A", "c", "\n")
	if echo != "ab\b \bc\n" {
		t.Errorf("echoed %q", echo)
	}
	_, echo, _ = feedAll(&editor{}, pasteBegins+"\x1b]0;title\x07\n"+pasteEnds)
	if strings.ContainsAny(echo, "\x1b\x07") {
		t.Errorf("a pasted control character is echoed: %q", echo)
	}
}

// A line above the daemon's limit is refused as a whole, and the next line is read.
func TestEditorTooLong(t *testing.T) {
	lines, _, _ := feedAll(&editor{}, strings.Repeat("x", maxLineBytes), "y", "\n", "z", "\n")
	if len(lines) != 2 || !lines[0].tooLong || lines[0].text != "" || lines[1].text != "z" || lines[1].tooLong {
		t.Errorf("got %d lines", len(lines))
	}
	lines, _, _ = feedAll(&editor{}, strings.Repeat("x", maxLineBytes), "\n")
	if len(lines) != 1 || lines[0].tooLong || len(lines[0].text) != maxLineBytes {
		t.Error("the longest line is refused")
	}
}

func FuzzEditor(f *testing.F) {
	f.Add("a\ny\n", 3)
	f.Add(pasteBegins+"y\n"+pasteEnds+"\n", 5)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if at < 0 || at > len(text) {
			at = 0
		}
		var whole, split editor
		a, _, endedWhole := feedAll(&whole, text)
		b, _, endedSplit := feedAll(&split, text[:at], text[at:])
		if endedWhole || endedSplit {
			return // what follows is not read
		}
		if len(a) != len(b) {
			t.Fatalf("%d lines, %d in pieces", len(a), len(b))
		}
		for i := range a {
			if a[i].text != b[i].text {
				t.Errorf("line %d: %q, %q in pieces", i, a[i].text, b[i].text)
			}
			if b[i].deliberate(&inbox.Request{Permission: eventtest.Asks("r", "Bash", "ls").GetPermissionRequest()}, time.Unix(0, 0)) && a[i].pasted && !a[i].typed {
				t.Error("pasted text is an answer")
			}
		}
	})
}
