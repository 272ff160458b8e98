package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"betcode/tests/attack/siege"
)

// TestAttack plays every scenario: what docs/security.md claims holds, or this
// fails and prints the cases that are open.
func TestAttack(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real Claude Code")
	}
	told, err := siege.Run(t.Context(), scenarios, siege.Options{Parallel: 4, Out: os.Stdout})
	if err != nil {
		t.Fatal(err)
	}
	if told.Open() > 0 || told.Cases == 0 {
		t.Errorf("%d of %d cases are open", told.Open(), told.Cases)
	}
}

// TestNames checks that each scenario has a name of its own, since documents refer
// to it.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range scenarios {
		if s.Name == "" || seen[s.Name] {
			t.Errorf("the name %q is empty or used twice", s.Name)
		}
		seen[s.Name] = true
		if s.Attack == nil {
			t.Errorf("%s attacks nothing", s.Name)
		}
	}
}

var (
	codeSpan   = regexp.MustCompile("`[^`]*`")
	boldText   = regexp.MustCompile(`\*\*[^*]*\*\*`)
	italicText = regexp.MustCompile(`\*([^*]+)\*`)
)

// TestSecurityPageNamesAttacks: each scenario shows a claim of the security page, and the page names
// no other.
func TestSecurityPageNamesAttacks(t *testing.T) {
	content, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(content)), " ")
	named := map[string]bool{}
	for _, match := range italicText.FindAllStringSubmatch(boldText.ReplaceAllString(codeSpan.ReplaceAllString(page, ""), ""), -1) {
		named[match[1]] = true
	}
	delete(named, "italics") // how the page says that it does so
	for _, s := range scenarios {
		if !named[s.Name] {
			t.Errorf("the page does not name %q", s.Name)
		}
		delete(named, s.Name)
	}
	for name := range named {
		t.Errorf("there is no scenario %q", name)
	}
}
