package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	architecturePage = "../docs/architecture.md"
	walksHeading     = "## Five walks"
)

var walkStep = regexp.MustCompile("^(\\d+)\\. `([^`]+\\.go)` `(\\w+)` \\S")

// step is one line of a walk: a function that the data passes.
type step struct {
	line           int // of the page
	file, function string
}

// TestWalks: the walks of the architecture page name functions that are in their files.
func TestWalks(t *testing.T) {
	content, err := os.ReadFile(architecturePage)
	if err != nil {
		t.Fatal(err)
	}
	walks, problems := parseWalks(string(content))
	for _, p := range problems {
		t.Error(p)
	}
	if len(walks) != 5 {
		t.Errorf("docs/architecture.md has %d walks below %q; it promises five", len(walks), walksHeading)
	}
	for name, steps := range walks {
		if len(steps) < 5 {
			t.Errorf("the walk %q has %d steps", name, len(steps))
		}
		for _, s := range steps {
			found, err := functionsOf(filepath.Join("..", s.file))
			switch {
			case os.IsNotExist(err):
				t.Errorf("docs/architecture.md:%d: there is no file %s; %s", s.line, s.file, whereIs(t, s.function))
			case err != nil:
				t.Errorf("docs/architecture.md:%d: %v", s.line, err)
			case !slices.Contains(found, s.function):
				t.Errorf("docs/architecture.md:%d: %s has no function %s; %s", s.line, s.file, s.function, whereIs(t, s.function))
			}
		}
	}
}

// parseWalks reads the walks of a page by their titles, and returns the lines that it cannot parse.
func parseWalks(page string) (walks map[string][]step, problems []string) {
	walks = map[string][]step{}
	inside, title := false, ""
	for i, line := range strings.Split(page, "\n") {
		switch {
		case strings.HasPrefix(line, "## "):
			inside, title = line == walksHeading, ""
		case !inside:
		case strings.HasPrefix(line, "### "):
			title = strings.TrimPrefix(line, "### ")
			walks[title] = nil
		case title == "" || line == "":
		default:
			match := walkStep.FindStringSubmatch(line)
			if match == nil || match[1] != fmt.Sprint(len(walks[title])+1) {
				problems = append(problems, fmt.Sprintf(
					"docs/architecture.md:%d: write step %d of this walk as: %d. `file.go` `function` what it does", i+1, len(walks[title])+1, len(walks[title])+1))
				continue
			}
			walks[title] = append(walks[title], step{i + 1, match[2], match[3]})
		}
	}
	return walks, problems
}

// functionsOf lists the functions and methods that a file declares.
func functionsOf(path string) (names []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			names = append(names, f.Name.Name)
		}
	}
	return names, nil
}

// whereIs lists the files that declare a function of this name, for the person who moved it.
func whereIs(t *testing.T, function string) string {
	t.Helper()
	var found []string
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skip(path, entry.Name())
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(content), " "+function+"(") {
			return err
		}
		names, err := functionsOf(path)
		if slices.Contains(names, function) {
			found = append(found, strings.TrimPrefix(filepath.ToSlash(path), "../"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		return "no file declares it any more: find what does its work now, and correct the walk"
	}
	return "correct the line: it is declared in " + strings.Join(found, ", ")
}

func TestParseWalks(t *testing.T) {
	page := "## Other\n1. no\n" + walksHeading + "\ntext\n### A\n\n1. `a.go` `F` does\n3. `b.go` `G` does\n2. G in b.go\n2. `b.go` `G` does\n## Next\n1. no\n"
	walks, problems := parseWalks(page)
	if len(walks) != 1 || len(walks["A"]) != 2 || walks["A"][1] != (step{10, "b.go", "G"}) {
		t.Errorf("%+v", walks)
	}
	if len(problems) != 2 || !strings.Contains(problems[0], ":8: write step 2") {
		t.Errorf("%q", problems)
	}
}
