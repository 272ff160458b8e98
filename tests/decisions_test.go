package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const decisions = "../docs/decisions"

var decisionName = regexp.MustCompile(`^([0-9]{4})-[a-z0-9-]+\.md$`)

// TestDecisionRecords: records are numbered from 1 without gaps, have every section, and stand in the index once under their
// title.
func TestDecisionRecords(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(decisions, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(decisions)
	if err != nil {
		t.Fatal(err)
	}
	next := 1
	for _, entry := range entries {
		name := entry.Name()
		match := decisionName.FindStringSubmatch(name)
		if match == nil {
			if name != "README.md" {
				t.Errorf("%s: the name is not NNNN-short-title.md", name)
			}
			continue
		}
		if want := fmt.Sprintf("%04d", next); match[1] != want {
			t.Errorf("%s: the next record is %s", name, want)
		}
		content, err := os.ReadFile(filepath.Join(decisions, name))
		if err != nil {
			t.Fatal(err)
		}
		title, rest, _ := strings.Cut(string(content), "\n")
		if prefix := fmt.Sprintf("# %d. ", next); !strings.HasPrefix(title, prefix) {
			t.Errorf("%s: the first line is %q and should begin with %q", name, title, prefix)
		}
		for _, part := range []string{"\nStatus: ", "\n## Context\n", "\n## Decision\n", "\n## Consequences\n"} {
			if !strings.Contains(rest, part) {
				t.Errorf("%s: %q is missing", name, strings.TrimSpace(part))
			}
		}
		link := fmt.Sprintf("- [%s](%s)", strings.TrimPrefix(title, "# "), name)
		if strings.Count(string(index), link) != 1 {
			t.Errorf("the index should have once: %s", link)
		}
		next++
	}
	if links := strings.Count(string(index), "\n- ["); links != next-1 {
		t.Errorf("the index has %d records, the directory %d", links, next-1)
	}
}
