package host

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A directory is not trusted without the result of a search that could not be stored.
func TestSearchesBeyondTheLimit(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "sub", ".claude", "skills"), 0o700); err != nil {
		t.Fatal(err)
	}
	d := &directories{config: t.TempDir(), nested: map[string]searched{}}
	for n := range maxSearched {
		d.nested[fmt.Sprint("/", n)] = searched{}
	}
	d.Search(other)
	if s := d.nestedIn(dir); len(s.unseen) > 0 {
		t.Errorf("nothing was found yet: %v", s.unseen)
	}
	d.Search(dir)
	for _, path := range []string{dir, other} {
		if s := d.nestedIn(path); len(s.unseen) != 1 {
			t.Errorf("%s: %+v", path, s)
		}
		if r := d.inspect(path, ""); len(r.Problems) == 0 {
			t.Errorf("%s can be trusted", path)
		}
	}
	if s := d.nestedIn("/0"); len(s.unseen) > 0 {
		t.Errorf("a directory that is remembered: %v", s.unseen)
	}
	if len(d.nested) != maxSearched {
		t.Errorf("%d are remembered", len(d.nested))
	}
}
