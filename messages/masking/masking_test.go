package masking

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

const hidden = "hunter2hunter2HUNTER2"

func TestSecretsAreMasked(t *testing.T) {
	m := New([]string{"a known secret", "short"})
	for _, text := range []string{
		`export API_KEY=` + hidden, `{"password": "` + hidden + `"}`, `{"command":"curl -H \"Authorization: Bearer ` + hidden + `\""}`,
		"psql postgres://ann:" + hidden + "@db/x", "gitlab --token " + hidden, "gitlab --private-token=" + hidden, "PASSWORD: " + hidden,
		"ghp_" + hidden, "glpat-" + hidden, "sk-ant-" + hidden, "AKIA" + hidden, "betcode_" + hidden, "eyJ" + hidden + "." + hidden + "." + hidden,
		"-----BEGIN RSA PRIVATE KEY-----\n" + hidden + "\n-----END RSA PRIVATE KEY-----", "basic " + hidden, hidden + hidden,
		`{"command":"export MY_SECRET='` + hidden + `'"}`, "a-Authorization: " + hidden, `\"client_secret\":\"` + hidden + `\"`,
	} {
		if got := m.Preview(text); strings.Contains(got, hidden) || !strings.Contains(got, mask) {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
	if got := m.Preview("it is a known secret, short"); got != "it is ***, short" {
		t.Error(got)
	}
}

func TestOthersAreNot(t *testing.T) {
	for _, text := range []string{
		`{"command":"git show 4c1757cf1f579f88aa0011223344556677889900"}`, "make test-the-very-long-name-of-a-target-of-a-file",
		"7f000001-0000-4000-8000-0123456789ab", "/home/ann/src/betcode/persistence/audit/mask_test.go", "count the tokens", "https://example.org/a?b=c",
	} {
		if got := New(nil).Preview(text); got != text {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

// A preview is short, valid, without control characters, and hides secrets at every position.
func TestPreview(t *testing.T) {
	m := New([]string{hidden})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab \"'={}:,\n\x1b\u202e\u2028é漢"))).Draw(t, "before") + hidden + rapid.String().Draw(t, "after")
		got := m.Preview(text)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > previewRunes || strings.ContainsAny(got, "\n\x1b\u202e") || strings.Contains(got, hidden) {
			t.Fatalf("%q", got)
		}
	})
	if got := m.Preview(strings.Repeat("x", 10<<20)); utf8.RuneCountInString(got) != previewRunes {
		t.Errorf("%d", len(got))
	}
}
