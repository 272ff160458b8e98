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

// shownByTests are tests elsewhere for rows that a story cannot show: behaviour over days, or on
// another operating system. "in virtual time: actors TestPatience actors/session TestReminders"
// names packages by their directories, each before its tests.
type shownByTests struct {
	how      string // the text on the page
	packages []testedPackage
}

// testedPackage is the tests of one package.
type testedPackage struct {
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
	shown := &shownByTests{how: how}
	for i, word := range words {
		if i == 0 || !strings.HasPrefix(word, "Test") {
			shown.packages = append(shown.packages, testedPackage{directory: word})
			continue
		}
		last := &shown.packages[len(shown.packages)-1]
		last.names = append(last.names, word)
	}
	return shown, nil
}

// String returns the text on the page.
func (s *shownByTests) String() string {
	var packages []string
	for _, p := range s.packages {
		packages = append(packages, fmt.Sprintf("%s (%s)", strings.Join(p.names, ", "), p.directory))
	}
	return s.how + ": " + strings.Join(packages, ", ")
}

// missing returns the first test that does not exist; empty if all exist.
func (s *shownByTests) missing() string {
	for _, p := range s.packages {
		there, err := testsOf(filepath.Join(kit.Repository(), p.directory))
		if err != nil {
			return err.Error()
		}
		if len(p.names) == 0 {
			return "no test is named in " + p.directory
		}
		for _, name := range p.names {
			if !there[name] {
				return fmt.Sprintf("there is no test %s in %s", name, p.directory)
			}
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
		"config TestPaths":                   false,
		"config TestPaths TestNothing":       true,
		"config paths":                       true,
		"nowhere TestPaths":                  true,
		"config TestPaths nowhere":           true,
		"config TestPaths tests TestImports": false,
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
