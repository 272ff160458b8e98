package tests

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parsed is what the files of a package import, on every platform.
type parsed struct {
	name    string // within the module
	imports map[string]bool
	tests   map[string]bool // by its test files
}

// packages reads the imports of all packages of the module. It reads files instead of asking `go list`, which looks at
// one platform only, and whose answers `go test` does not know to be stale when it shows a remembered result.
func packages(t *testing.T) []parsed {
	t.Helper()
	found := map[string]parsed{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skip(path, entry.Name())
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
		p, ok := found[name]
		if !ok {
			p = parsed{name: name, imports: map[string]bool{}, tests: map[string]bool{}}
			found[name] = p
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if strings.HasSuffix(path, "_test.go") {
				p.tests[imported] = true
			} else {
				p.imports[imported] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.SortedFunc(maps.Values(found), func(a, b parsed) int { return strings.Compare(a.name, b.name) })
}

// skip leaves out what the go command leaves out: hidden directories, testdata, and modules within this one.
func skip(path, name string) error {
	if path == ".." {
		return nil
	}
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
		return filepath.SkipDir
	}
	return nil
}
