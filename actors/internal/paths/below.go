package paths

import (
	"os"
	"path/filepath"
	"strings"
)

// Below reports whether a path is a directory, or in it. Names are not enough: on a file
// system that ignores case, or if a directory is mounted twice, one place has several names.
func Below(path, dir string) bool {
	if path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator)) {
		return true
	}
	wanted, err := os.Stat(dir)
	if err != nil {
		return false
	}
	for {
		if here, err := os.Stat(path); err == nil && os.SameFile(here, wanted) {
			return true
		}
		parent := filepath.Dir(path)
		if parent == path {
			return false
		}
		path = parent
	}
}

// Inside reports whether a path, with links resolved, is a directory, or in it. A path that does not exist is in no
// directory.
func Inside(path, dir string) bool {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	dir, err = filepath.EvalSymlinks(dir)
	return err == nil && Below(target, dir)
}
