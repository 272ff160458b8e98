package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark|Example)[A-Z]\w*`)
	testFile = regexp.MustCompile(`\b\w+_test\.go\b`)
	declared = regexp.MustCompile(`(?m)^func (\w+)\(`)
	toMake   = regexp.MustCompile("`make ([a-z-]+)")
	makeRule = regexp.MustCompile(`(?m)^([a-z-]+):`)
)

// TestDocumentsNameTests: tests, test files and make targets that a page names exist.
func TestDocumentsNameTests(t *testing.T) {
	names, files := tested(t)
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, match := range makeRule.FindAllStringSubmatch(string(makefile), -1) {
		targets = append(targets, match[1])
	}
	for _, page := range pages(t) {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(content), "\n") {
			for _, name := range testName.FindAllString(line, -1) {
				if !slices.Contains(names, name) {
					t.Errorf("%s:%d: there is no %s", page, n+1, name)
				}
			}
			for _, name := range testFile.FindAllString(line, -1) {
				if !slices.Contains(files, name) {
					t.Errorf("%s:%d: there is no %s", page, n+1, name)
				}
			}
			for _, match := range toMake.FindAllStringSubmatch(line, -1) {
				if !slices.Contains(targets, match[1]) {
					t.Errorf("%s:%d: there is no target %s", page, n+1, match[1])
				}
			}
		}
	}
}

// pages returns the paths of all pages for people.
func pages(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("../docs/*.md")
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	notes, err := filepath.Glob("../docs/notes/*.md")
	if err != nil || len(notes) == 0 {
		t.Fatal(notes, err)
	}
	return append(append(all, notes...), "../README.md", "../CHANGELOG.md", "../CONTRIBUTING.md")
}

// tested lists the functions and the files of all tests.
func tested(t *testing.T) (names, files []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != ".." && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		content, err := os.ReadFile(path)
		for _, match := range declared.FindAllStringSubmatch(string(content), -1) {
			names = append(names, match[1])
		}
		files = append(files, entry.Name())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, files
}
