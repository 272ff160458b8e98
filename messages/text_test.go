package messages_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"betcode/messages"
)

func TestArgument(t *testing.T) {
	for _, c := range []struct {
		text, want string
		err        error
	}{
		{"", "", nil},
		{"  ", "", nil},
		{"sonnet", "sonnet", nil},
		{" sonnet\t", "sonnet", nil},
		{"\u00a0claude-opus-4-1[1m]\u2003", "claude-opus-4-1[1m]", nil},
		{"Bash(git log -1)", "Bash(git log -1)", nil},
		{"Bash(printf ü)", "Bash(printf ü)", nil},
		{"-x", "", messages.ErrArgumentDash},
		{"--x", "", messages.ErrArgumentDash},
		{" -x", "", messages.ErrArgumentDash},
		{"\u00a0--x", "", messages.ErrArgumentDash},
		{"\u2003-x", "", messages.ErrArgumentDash},
		{"\u3000-x", "", messages.ErrArgumentDash},
		{"\u200b-x", "", messages.ErrArgumentDash},
		{"\u200b \ufeff--x", "", messages.ErrArgumentDash},
		{"\x00-x", "", messages.ErrArgumentDash},
		{"a\nb", "", messages.ErrArgumentControl},
		{"a\rb", "", messages.ErrArgumentControl},
		{"a\u200bb", "", messages.ErrArgumentControl},
		{"a\u202eb", "", messages.ErrArgumentControl},
		{"a\U000e0041", "", messages.ErrArgumentControl},
		{"a\u2028b", "", messages.ErrArgumentControl},
		{"a\xffb", "", messages.ErrArgumentControl},
	} {
		got, err := messages.Argument(c.text)
		if got != c.want || !errors.Is(err, c.err) || (err != nil) != (c.err != nil) {
			t.Errorf("Argument(%q) = %q, %v; want %q, %v", c.text, got, err, c.want, c.err)
		}
	}
}

// An accepted text is accepted again unchanged, is no option, and is valid UTF-8.
func FuzzArgument(f *testing.F) {
	for _, s := range []string{"sonnet", " -x", "\u00a0--x", "a\x00", "\u200b-", "\xff", "\u2800-x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := messages.Argument(text)
		if err != nil {
			return
		}
		if strings.HasPrefix(strings.TrimSpace(got), "-") || !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\r\n\x1b") {
			t.Errorf("%q is accepted as %q", text, got)
		}
		if again, err := messages.Argument(got); again != got || err != nil {
			t.Errorf("%q becomes %q, then %q, %v", text, got, again, err)
		}
	})
}
