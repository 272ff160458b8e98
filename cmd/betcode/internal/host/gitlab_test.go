package host

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestToken: a file that other users may read is refused, and so is content that is not a token. No error contains the content.
func TestToken(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes")
	}
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	none := func(string) string { return "" }
	for name, test := range map[string]struct {
		file string
		env  map[string]string
		want string // "-" is an error, empty: nothing is configured
	}{
		"file":         {file: write("good", " elephant\n", 0o600), want: "elephant"},
		"open to all":  {file: write("open", "elephant", 0o644), want: "-"},
		"missing":      {file: filepath.Join(dir, "missing"), want: "-"},
		"empty":        {file: write("empty", "\n", 0o600), want: "-"},
		"two lines":    {file: write("two", "elephant\ngiraffe", 0o600), want: "-"},
		"ours first":   {env: map[string]string{"BETCODE_GITLAB_TOKEN": "elephant", "GITLAB_TOKEN": "giraffe"}, want: "elephant"},
		"the usual":    {env: map[string]string{"GITLAB_TOKEN": "elephant"}, want: "elephant"},
		"nothing":      {},
		"file and env": {file: write("both", "elephant", 0o400), env: map[string]string{"GITLAB_TOKEN": "giraffe"}, want: "elephant"},
	} {
		getenv := none
		if test.env != nil {
			getenv = func(name string) string { return test.env[name] }
		}
		token := tokenOf(test.file, getenv)
		if test.want == "" {
			if token != nil {
				t.Errorf("%s: there is a token", name)
			}
			continue
		}
		got, err := token()
		if (err != nil) != (test.want == "-") || (err == nil && got != test.want) {
			t.Errorf("%s: %q %v", name, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "elephant") {
			t.Errorf("%s: the error shows it: %v", name, err)
		}
	}
}
