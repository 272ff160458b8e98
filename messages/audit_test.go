package messages_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"betcode/messages"
)

// Every constant of type AuditType in the package is in AuditTypes, which filters are checked against.
func TestAuditTypes(t *testing.T) {
	var declared []messages.AuditType
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || filepath.Dir(path) != "." {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "AuditType" {
				for _, v := range spec.Values {
					text, _ := strconv.Unquote(v.(*ast.BasicLit).Value)
					declared = append(declared, messages.AuditType(text))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(declared) < 10 {
		t.Fatalf("found %v", declared)
	}
	for _, d := range declared {
		if !slices.Contains(messages.AuditTypes(), d) {
			t.Errorf("AuditTypes does not name %s", d)
		}
	}
	if len(declared) != len(messages.AuditTypes()) {
		t.Errorf("%d are declared, AuditTypes has %d", len(declared), len(messages.AuditTypes()))
	}
}
