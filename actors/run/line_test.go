package run

import (
	"strings"
	"testing"
)

func TestBeginning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		most int
		want string
	}{
		{"short", 10, "short"},
		{`{"a":1, "token":"abcdef"}`, 20, `{"a":1, `},
		{strings.Repeat("x", 20), 10, ""}, // it may be half a secret
		{"\xff is not text", 100, "? is not text"},
	} {
		if got := beginning([]byte(c.line), c.most); got != c.want {
			t.Errorf("the first %d of %q are %q, want %q", c.most, c.line, got, c.want)
		}
	}
}
