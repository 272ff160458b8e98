package paths

import (
	"os"
	"path/filepath"
	"testing"
)

// A directory is known under each of its names. A link represents the others here: a second
// mount needs root, and letters of either case another file system.
func TestBelow(t *testing.T) {
	root := t.TempDir()
	own, name := filepath.Join(root, "own"), filepath.Join(root, "name")
	for _, dir := range []string{filepath.Join(own, "runs"), filepath.Join(root, "ownother")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(own, name); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	for _, test := range []struct {
		path, dir string
		want      bool
	}{
		{own, own, true},
		{filepath.Join(own, "runs"), own, true},
		{filepath.Join(own, "runs"), name, true},
		{filepath.Join(name, "runs"), own, true},
		{filepath.Join(name, "runs", "none"), own, true},
		{own, name, true},
		{own, filepath.VolumeName(root) + string(filepath.Separator), true},
		{root, own, false},
		{root, name, false},
		{filepath.Join(root, "ownother"), own, false},
		{filepath.Join(root, "ownother"), name, false},
		{own, filepath.Join(root, "none"), false},
	} {
		if got := Below(test.path, test.dir); got != test.want {
			t.Errorf("%s below %s: %t", test.path, test.dir, got)
		}
	}
}
