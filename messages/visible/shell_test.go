package visible_test

import (
	"testing"

	"betcode/messages/visible"
)

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"/a/b-c": "/a/b-c", "/a b": "'/a b'", "/a'b": `'/a'\''b'`, "": "''", "~x": "'~x'", "=ls": "'=ls'", "/ü": "'/ü'",
	} {
		if got := visible.ShellWord(word); got != want {
			t.Errorf("%q: %s", word, got)
		}
	}
}
