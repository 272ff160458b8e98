package texts

import "testing"

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{"/a/b-c": "/a/b-c", "/a b": "'/a b'", "/a'b": `'/a'\''b'`, "": "''", "/ü": "'/ü'"} {
		if got := ShellWord(word); got != want {
			t.Errorf("%q: %s", word, got)
		}
	}
}
