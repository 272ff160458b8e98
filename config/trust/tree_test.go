package trust

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree is a directory with files in it.
type tree struct {
	*testing.T
	root string
}

func newTree(t *testing.T) tree {
	t.Helper()
	return tree{t, resolved(t.TempDir())}
}

func (t tree) path(name string) string { return filepath.Join(t.root, name) }

func (t tree) write(name, text string) {
	t.Helper()
	path := t.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (t tree) mkdir(name string) string {
	t.Helper()
	if err := os.MkdirAll(t.path(name), 0o700); err != nil {
		t.Fatal(err)
	}
	return t.path(name)
}

// inspect reports on a directory of the tree, without directories above the tree, which are not part of the test.
func (t tree) inspect(name string) Report {
	t.Helper()
	r := Inspect(Place{Directory: t.path(name), Own: t.path("home/.claude")})
	for path := range r.Files {
		if !within(path, t.root) {
			delete(r.Files, path)
		}
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return !within(f.Path, t.root) })
	r.Problems = slices.DeleteFunc(r.Problems, func(p Problem) bool { return !within(p.Path, t.root) })
	return r
}

// findings returns the findings of a report as "path kind text".
func (t tree) findings(r Report) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, strings.TrimPrefix(f.Path, t.root+"/")+" "+string(f.Kind)+" "+f.Text)
	}
	return all
}

const (
	hook   = `{"hooks":{"SessionStart":[{"matcher":"*","hooks":[{"type":"command","command":"touch x"}]}]}}`
	server = `{"mcpServers":{"s":{"command":"sh","args":["-c","id"],"env":{"A":"b"}}}}`
)
