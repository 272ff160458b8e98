package conformance

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

const page = "../../docs/conformance.md"

const preface = `# Conformance

What the documents of betcode ask for, row by row, and what the built daemon does. The rows are in
` + "`tests/conformance/testdata/rows.txt`" + `, under the documents' headings; this page is written by ` + "`make conformance`" + `, which drives the
daemon from outside, and ` + "`make test`" + ` fails when it is not what a run gives (TestConformance).

A call was *called* with success; a field of an answer was *received* with a value. Where a name stands, the story of that name in
` + "`tests/conformance`" + ` has shown it. Where a test and its package stand, it is shown there: what takes hours in virtual time, what needs another operating
system by a table; such a test has to exist under its name. *Declared* is what only the description of the interface has. What is planned or decided
otherwise counts neither as passed nor as failed.
`

// render writes the page. There is nothing in it that changes from run to run.
func render(verdicts []verdict, decisions map[string]string) []byte {
	var (
		b                 bytes.Buffer
		document, heading string
	)
	b.WriteString(preface)
	for _, v := range verdicts {
		if v.document != document {
			document, heading = v.document, ""
			fmt.Fprintf(&b, "\n## %s\n", document)
		}
		if v.heading != heading {
			heading = v.heading
			fmt.Fprintf(&b, "\n### %s\n\n| row | what | result |\n|---|---|---|\n", heading)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(v.name), v.kind, result(v, decisions))
	}
	fmt.Fprintf(&b, "\n%s\n", lastLine(verdicts))
	return b.Bytes()
}

func result(v verdict, decisions map[string]string) string {
	switch {
	case v.failure != "":
		return "**fails**: " + cell(v.failure)
	case v.planned != "":
		return "planned: " + cell(v.planned)
	case v.deviation != "":
		text := fmt.Sprintf("deviation: decision %s, [%s](decisions.md)", decisions[v.deviation], cell(v.deviation))
		if v.shownBy != "" {
			text += "; " + v.shownBy
		}
		return text
	}
	return v.shownBy
}

func lastLine(verdicts []verdict) string {
	var rows, pass, planned, deviations int
	for _, v := range verdicts {
		switch {
		case v.planned != "":
			planned++
		case v.deviation != "":
			deviations++
		default:
			rows++
			if v.failure == "" {
				pass++
			}
		}
	}
	return fmt.Sprintf("conformance: %d of %d rows pass, %d planned, %d deviations", pass, rows, planned, deviations)
}

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`).Replace(text)
}

var decision = regexp.MustCompile(`(?m)^## ([0-9]+|NN)\. (.*)$`)

// readDecisions maps the titles of docs/decisions.md to their numbers.
func readDecisions(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/decisions.md")
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]string{}
	for _, match := range decision.FindAllStringSubmatch(string(raw), -1) {
		numbers[match[2]] = match[1]
	}
	return numbers
}
