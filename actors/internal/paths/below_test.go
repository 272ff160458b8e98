package paths

import (
	"os"
	"path/filepath"
	"testing"
)

// A link in a directory does not bring what it leads to into the directory, and a link to the directory is the directory.
func TestInside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"in/deep", "out", "inner"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"in/leads": "out", "same": "in"} {
		if err := os.Symlink(filepath.Join(dir, target), filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path, dir string
		want      bool
	}{
		{"in", "in", true},
		{"in/deep", "in", true},
		{"in/deep", "same", true},
		{"same/deep", "in", true},
		{"out", "in", false},
		{"inner", "in", false},
		{"in/leads", "in", false},
		{"in/none", "in", false},
		{"in/deep", "none", false},
	} {
		if got := Inside(filepath.Join(dir, c.path), filepath.Join(dir, c.dir)); got != c.want {
			t.Errorf("%s in %s: %t", c.path, c.dir, got)
		}
	}
}
