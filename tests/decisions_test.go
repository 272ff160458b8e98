package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const decisions = "../docs/decisions"

var decisionName = regexp.MustCompile(`^([0-9]{4})-[a-z0-9-]+\.md$`)

// TestDecisionRecords: records have ascending numbers and every section, and the index lists each
// once by its title. Gaps are allowed, because people who work at the same time reserve numbers.
func TestDecisionRecords(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(decisions, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(decisions)
	if err != nil {
		t.Fatal(err)
	}
	last, records := 0, 0
	for _, entry := range entries {
		name := entry.Name()
		match := decisionName.FindStringSubmatch(name)
		if match == nil {
			if name != "README.md" {
				t.Errorf("%s: the name is not NNNN-short-title.md", name)
			}
			continue
		}
		number, err := strconv.Atoi(match[1])
		if err != nil || number <= last {
			t.Errorf("%s: the number is not above %d", name, last)
		}
		content, err := os.ReadFile(filepath.Join(decisions, name))
		if err != nil {
			t.Fatal(err)
		}
		title, rest, _ := strings.Cut(string(content), "\n")
		if prefix := fmt.Sprintf("# %d. ", number); !strings.HasPrefix(title, prefix) {
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
		last, records = number, records+1
	}
	if links := strings.Count(string(index), "\n- ["); links != records {
		t.Errorf("the index has %d records, the directory %d", links, records)
	}
}
