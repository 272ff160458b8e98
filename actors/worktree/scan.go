package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"betcode/messages"
)

// Bounds of a scan.
const (
	scanDepth     = 3 // levels below the directory, unless the request says otherwise
	maxScanDepth  = 10
	maxScanned    = 20_000 // directories that are read
	maxScanHits   = 200    // repositories
	maxScanBranch = 5_000  // entries of one directory
)

// Scan returns the directories below a directory that have a git directory of their own. It follows no links, and skips hidden
// directories, node_modules, and the contents of a repository that it found. It runs on the caller's goroutine. more reports
// that a bound ended it.
func Scan(ctx context.Context, dir string, depth int) (found []string, more bool, err error) {
	if depth == 0 {
		depth = scanDepth
	}
	if depth < 0 || depth > maxScanDepth {
		return nil, false, messages.Errorf("scan for repositories", messages.Invalid, "a depth of %d is not between 1 and %d", depth, maxScanDepth).WithHint("Scan a directory further down.")
	}
	if info, failed := os.Lstat(dir); failed != nil || !info.IsDir() {
		return nil, false, messages.Errorf("scan for repositories", messages.Invalid, "%s is not a directory", clip(dir)).WithHint("Name a directory, not a link to one.")
	}
	level, read := []string{dir}, 0
	for n := 0; n <= depth && len(level) > 0; n++ {
		var below []string
		for _, d := range level {
			if read++; read > maxScanned || len(found) >= maxScanHits || ctx.Err() != nil {
				return found, true, nil //nolint:nilerr // the end of ctx is one of the bounds
			}
			entries, isRepository := list(d)
			if isRepository {
				found = append(found, d)
				continue
			}
			below = append(below, entries...)
		}
		level = below
	}
	return found, false, nil
}

// list returns the subdirectories to scan of a directory, and whether it is a repository itself. It returns none if it cannot read it.
func list(dir string) (below []string, repository bool) {
	if info, err := os.Lstat(filepath.Join(dir, ".git")); err == nil && info.IsDir() {
		return nil, true
	}
	file, err := os.Open(dir)
	if err != nil {
		return nil, false
	}
	entries, err := file.ReadDir(maxScanBranch)
	if err = errors.Join(err, file.Close()); err != nil && len(entries) == 0 {
		return nil, false
	}
	for _, e := range entries {
		if e.Type()&fs.ModeType == fs.ModeDir && !strings.HasPrefix(e.Name(), ".") && e.Name() != "node_modules" {
			below = append(below, filepath.Join(dir, e.Name()))
		}
	}
	return below, false
}
