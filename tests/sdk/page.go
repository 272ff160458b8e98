package main

import (
	"fmt"
	"os"
	"strings"
)

// The marks around the summary on a page.
const (
	summaryBegins = "<!-- sdk -->\n"
	summaryEnds   = "<!-- /sdk -->"
)

// verdicts in the order of the summary's columns; see the test of the codec.
var verdicts = []string{"known", "kept raw", "answered", "refused", "unused"}

// summary counts the rows of the table by kind and verdict, as Markdown.
func (t table) summary() string {
	counts := map[row]int{}
	for _, r := range t.rows {
		counts[row{kind: r.kind, verdict: r.verdict}]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| `%s` %s | %s |\n|---%s|\n", Package, t.version, strings.Join(verdicts, " | "), strings.Repeat("|---", len(verdicts)))
	for _, kind := range []struct{ name, plural string }{
		{kindMessage, "messages"},
		{kindMember, "their members"},
		{kindRequest, "control requests"},
		{kindArgument, "their members"},
		{kindAnswer, "members of their answers"},
	} {
		fmt.Fprintf(&b, "| %s |", kind.plural)
		for _, v := range verdicts {
			fmt.Fprintf(&b, " %d |", counts[row{kind: kind.name, verdict: v}])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// onPage returns a page with the summary between its marks.
func (t table) onPage(page string) (string, error) {
	before, rest, begun := strings.Cut(page, summaryBegins)
	_, after, ended := strings.Cut(rest, summaryEnds)
	if !begun || !ended {
		return "", fmt.Errorf("the page has no place for the summary between %q and %q", strings.TrimSpace(summaryBegins), summaryEnds)
	}
	return before + summaryBegins + t.summary() + summaryEnds + after, nil
}

// summarize writes the summary of the table to a page.
func summarize(path string) error {
	t, err := readTable(tableFile())
	if err != nil {
		return err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	page, err := t.onPage(string(b))
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(page), 0o644)
}
