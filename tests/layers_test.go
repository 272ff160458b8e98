package tests

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layered lists the packages whose files form layers: a function calls only into files below its own, so that no file can be
// understood only together with another that needs it.
var layered = []string{"actors/session"}

// TestFilesFormLayers finds files of a package that call each other, directly or through others.
func TestFilesFormLayers(t *testing.T) {
	for _, pkg := range layered {
		calls, err := callsBetweenFiles(filepath.Join("..", pkg))
		if err != nil {
			t.Fatal(err)
		}
		if len(calls) < 10 {
			t.Errorf("%s: calls were found in %d files only; the test does not see them", pkg, len(calls))
		}
		for _, circle := range circles(calls) {
			t.Errorf("%s: these files call each other, move a function to a lower one: %s", pkg, strings.Join(circle, " → "))
		}
	}
}

// callsBetweenFiles returns which files of a directory use functions of which others.
func callsBetweenFiles(dir string) (map[string][]string, error) {
	files := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var sources []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source)
	}
	// What is imported is not needed: only functions of the package itself are looked for.
	uses := types.Info{Uses: map[*ast.Ident]types.Object{}}
	checker := types.Config{Error: func(error) {}, Importer: noImports{}}
	pkg, _ := checker.Check(dir, files, sources, &uses) // the error is that it lacks its imports
	calls := map[string][]string{}
	for name, used := range uses.Uses {
		if f, ok := used.(*types.Func); ok && f.Pkg() == pkg {
			from, to := filepath.Base(files.Position(name.Pos()).Filename), filepath.Base(files.Position(f.Pos()).Filename)
			if from != to && !slices.Contains(calls[from], to) {
				calls[from] = append(calls[from], to)
			}
		}
	}
	return calls, nil
}

// noImports is an importer without packages.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

// circles returns one path for each file that can be reached from itself, the file at both ends.
func circles(calls map[string][]string) [][]string {
	var found [][]string
	for start := range calls {
		from := map[string]string{}
		for next := []string{start}; len(next) > 0; next = next[1:] {
			for _, to := range calls[next[0]] {
				if _, seen := from[to]; !seen {
					from[to] = next[0]
					next = append(next, to)
				}
			}
		}
		if _, again := from[start]; !again {
			continue
		}
		path := []string{start}
		for at := from[start]; at != start; at = from[at] {
			path = append([]string{at}, path...)
		}
		found = append(found, append([]string{start}, path...))
	}
	slices.SortFunc(found, slices.Compare[[]string])
	return found
}

// TestCircles shows that the test above can fail.
func TestCircles(t *testing.T) {
	if got := circles(map[string][]string{"a": {"b", "c"}, "b": {"c"}}); len(got) > 0 {
		t.Errorf("layers: %v", got)
	}
	got := circles(map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"b"}})
	if len(got) != 2 || strings.Join(got[0], "") != "bcb" || strings.Join(got[1], "") != "cbc" {
		t.Errorf("a circle: %v", got)
	}
}
