package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// published has the names on which people and programs act.
type published struct {
	conditions, codes, waits map[string]bool // constants of package messages
	components               map[string]bool // names of health components
	states                   map[string]bool // names of what degrades them
}

// TestTroubleshootingIsComplete: the page has each condition, each reason to wait, each error code
// and each component of the health report with its states, and no other.
func TestTroubleshootingIsComplete(t *testing.T) {
	content, err := os.ReadFile("../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	page, code := sections(string(content)), readCode(t)
	health := page["The daemon is degraded"]
	for _, held := range []struct {
		what   string
		wanted map[string]bool
		there  []string // in their section of the page
	}{
		{"condition", code.conditions, listed(page["The agent cannot run"])},
		{"reason to wait", code.waits, listed(page["A turn waits"])},
		{"error code", code.codes, listed(page["Error codes"])},
		{"component", code.components, cells(health, 1)},
		{"state", code.states, cells(health, 2)},
	} {
		if len(held.wanted) < 3 {
			t.Errorf("%s: only %d found in the code: does this test still look in the right place?", held.what, len(held.wanted))
		}
		for _, name := range slices.Sorted(maps.Keys(held.wanted)) {
			if !slices.Contains(held.there, name) {
				t.Errorf("docs/troubleshooting.md lacks the %s %s: say what causes it, and which command helps", held.what, name)
			}
		}
		for _, name := range held.there {
			if !held.wanted[name] {
				t.Errorf("docs/troubleshooting.md: there is no %s %s", held.what, name)
			}
		}
	}
}

// sections are the parts of a page by their headings of the second level.
func sections(page string) map[string]string {
	all := map[string]string{}
	for _, part := range strings.Split(page, "\n## ")[1:] {
		heading, text, _ := strings.Cut(part, "\n")
		all[heading] = text
	}
	return all
}

var (
	listItem = regexp.MustCompile("(?m)^- ((?:`\\w+`(?:, )?)+) —")
	codeName = regexp.MustCompile("`(\\w+)`")
)

// listed are the names that the items of a list begin with.
func listed(section string) []string {
	var names []string
	for _, item := range listItem.FindAllStringSubmatch(section, -1) {
		for _, name := range codeName.FindAllStringSubmatch(item[1], -1) {
			names = append(names, name[1])
		}
	}
	return names
}

// cells are the names in a column of the tables of a section.
func cells(section string, column int) []string {
	var names []string
	for line := range strings.Lines(section) {
		if row := strings.Split(line, "|"); len(row) > column+1 {
			for _, name := range codeName.FindAllStringSubmatch(row[column], -1) {
				names = append(names, name[1])
			}
		}
	}
	return names
}

// readCode reads the code of this module, except tests.
func readCode(t *testing.T) published {
	t.Helper()
	found := published{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	constants := map[string]string{} // string constants of all packages, for names of components
	var files []*ast.File
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != ".." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "tests" || entry.Name() == "tools") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			files = append(files, file)
			found.addConstants(file, constants)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		found.addHealth(file, constants)
	}
	return found
}

func (f published) addConstants(file *ast.File, constants map[string]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		value, ok := literal(spec.Values[0], nil)
		if !ok {
			return true
		}
		name := spec.Names[0].Name
		constants[name] = value
		if file.Name.Name != "messages" {
			return true
		}
		typed, _ := spec.Type.(*ast.Ident)
		switch {
		case typed != nil && typed.Name == "Condition":
			f.conditions[value] = true
		case typed != nil && typed.Name == "Code":
			f.codes[value] = true
		case strings.HasPrefix(name, "Waits"):
			f.waits[value] = true
		}
		return true
	})
}

// addHealth finds components and their states in a file: in literals of ComponentHealth, and where
// a State is assigned beside one.
func (f published) addHealth(file *ast.File, constants map[string]string) {
	mentions := false
	ast.Inspect(file, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		mentions = mentions || ok && name.Name == "ComponentHealth"
		return !mentions
	})
	if !mentions || file.Name.Name == "messages" {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			key, _ := n.Key.(*ast.Ident)
			value, ok := literal(n.Value, constants)
			switch {
			case key == nil || !ok:
			case key.Name == "Name":
				f.components[value] = true
			case key.Name == "State":
				f.states[value] = true
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				field, ok := to.(*ast.SelectorExpr)
				if !ok || field.Sel.Name != "State" || len(n.Rhs) != len(n.Lhs) {
					continue
				}
				if value, ok := literal(n.Rhs[i], constants); ok {
					f.states[value] = true
				}
			}
		}
		return true
	})
}

// literal returns the value of a string literal, or of a constant that is known.
func literal(e ast.Expr, constants map[string]string) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		value, err := strconv.Unquote(e.Value)
		return value, err == nil && e.Kind == token.STRING
	case *ast.Ident:
		value, ok := constants[e.Name]
		return value, ok
	}
	return "", false
}
