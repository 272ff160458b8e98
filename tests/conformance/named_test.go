package conformance

import (
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"path/filepath"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// shownByTests are tests elsewhere that show what a story cannot: what takes days, or
// another operating system. "in virtual time: actors TestReminders" names the package
// by its directory, then the tests.
type shownByTests struct {
	how       string // as the page says it
	directory string
	names     []string
}

// The ways in which tests show a row.
const (
	inVirtualTime = "in virtual time"
	byATest       = "by a test"
)

func testsIn(how, what string) (*shownByTests, error) {
	words := strings.Fields(what)
	if len(words) < 2 {
		return nil, fmt.Errorf("%s: %q is not a directory and its tests", how, what)
	}
	return &shownByTests{how, words[0], words[1:]}, nil
}

// String is what the page says.
func (s *shownByTests) String() string {
	return fmt.Sprintf("%s: %s (%s)", s.how, strings.Join(s.names, ", "), s.directory)
}

// missing says which of the tests is not there; empty if all are.
func (s *shownByTests) missing() string {
	there, err := testsOf(filepath.Join(kit.Repository(), s.directory))
	if err != nil {
		return err.Error()
	}
	for _, name := range s.names {
		if !there[name] {
			return fmt.Sprintf("there is no test %s in %s", name, s.directory)
		}
	}
	return ""
}

// testsOf are the tests of a package, by the names of their functions.
func testsOf(directory string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(directory, "*_test.go"))
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, path := range files {
		file, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && f.Type.Params.NumFields() == 1 {
				found[f.Name.Name] = true
			}
		}
	}
	return found, nil
}

// A test that was renamed, or was never there, shows nothing.
func TestRowsNameTestsThatExist(t *testing.T) {
	for what, missing := range map[string]bool{
		"config TestPaths":             false,
		"config TestPaths TestNothing": true,
		"config paths":                 true,
		"nowhere TestPaths":            true,
	} {
		named, err := testsIn(byATest, what)
		if err != nil {
			t.Fatal(err)
		}
		v := (&run{}).judge(row{kind: behaviour, tests: named})
		if (v.failure != "") != missing {
			t.Errorf("%s: %q", what, v.failure)
		}
	}
	if _, err := readNote("by a test: config"); err == nil {
		t.Error("a row names no test")
	}
}
