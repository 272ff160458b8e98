//go:build unix

package protect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A listed file with a second name makes its project one in which edits are confirmed.
func TestListedFilesWithOtherNames(t *testing.T) {
	for _, c := range []struct {
		file, dir string // below the home directory
		told      bool
	}{
		{"p/.git/config", "p", true},
		{"p/.git/hooks/pre-commit", "p/sub", true},
		{"p/.claude/settings.json", "p/sub/deep", true},
		{"p/.mcp.json", "p", true},
		{".ssh/authorized_keys", "p", true},
		{".bashrc", "p", true},
		{".vimrc", "p", true},
		{".config/betcode/settings.json", "p", true},
		{"bin/tool", "p", false},
		{"p/main.go", "p", false},
		{"other/.git/config", "p", false},
	} {
		home, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		write := func(name string) {
			file := filepath.Join(home, name)
			os.MkdirAll(filepath.Dir(file), 0o700)
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"p/.git/HEAD", "p/sub/deep/x", c.file} {
			write(name)
		}
		p := Places{Home: home, Daemon: []string{filepath.Join(home, ".config/betcode")}}
		l, dir := New(p, p.Resolve()), filepath.Join(home, c.dir)
		if why := l.CheckDirectory(dir); why != "" {
			t.Errorf("%s with one name: %s", c.file, why)
		}
		if err := os.Link(filepath.Join(home, c.file), filepath.Join(home, "p/sub/link")); err != nil {
			t.Fatal(err)
		}
		if why := l.CheckDirectory(dir); (why != "") != c.told || c.told && !strings.HasPrefix(why, filepath.Join(home, c.file)+", which ") {
			t.Errorf("%s with two names: %q", c.file, why)
		}
	}
}
