package tests

import (
	"os"
	"strings"
	"testing"
)

// TestClientsPageShowsExamples: docs/clients.md contains the example files that the tests run.
func TestClientsPageShowsExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	for language, path := range map[string]string{"go": "../docs/examples/go/main.go", "python": "../docs/examples/python/client.py"} {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if block := "\n```" + language + "\n" + string(source) + "```\n"; !strings.Contains(string(page), block) {
			t.Errorf("docs/clients.md does not show %s as it is: replace its block of %s", strings.TrimPrefix(path, "../"), language)
		}
	}
}
