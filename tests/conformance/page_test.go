package conformance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const page = "../../docs/conformance.md"

const preface = `# Conformance

The requirements of betcode's documents, row by row, and the behaviour of the built daemon. The rows
are in ` + "`tests/conformance/testdata/rows.txt`" + `, under the headings of the documents.
` + "`make conformance`" + ` drives the daemon from outside and writes this page. ` + "`make test`" + ` fails if
the page differs from the result of a run (TestConformance).

- *called*: a call has succeeded.
- *received*: a client has got a field of an answer with a value.
- The name of a story: that story in ` + "`tests/conformance`" + ` has shown the row.
- A test with its package: that test shows the row, because it needs hours of virtual time or another
  operating system. A test checks that it exists.
- *declared*: only the description of the interface has the row.

Rows that are planned or decided otherwise count neither as passed nor as failed.
`

// render writes the page. Its content does not change from run to run.
func render(verdicts []verdict, decisions map[string]decision) []byte {
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

func result(v verdict, decisions map[string]decision) string {
	switch {
	case v.failure != "":
		return "**fails**: " + cell(v.failure)
	case v.planned != "":
		return "planned: " + cell(v.planned)
	case v.deviation != "":
		taken := decisions[v.deviation]
		text := fmt.Sprintf("deviation: decision %s, [%s](%s)", v.deviation, cell(taken.title), taken.file)
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

var decisionFile = regexp.MustCompile(`^([0-9]{4})-[a-z0-9-]+\.md$`)

// readDecisions maps the numbers of the records in docs/decisions to their titles and files.
func readDecisions(t *testing.T) map[string]decision {
	t.Helper()
	const dir = "../../docs/decisions"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	records := map[string]decision{}
	for _, entry := range entries {
		match := decisionFile.FindStringSubmatch(entry.Name())
		if match == nil {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(raw), "\n")
		number, title, found := strings.Cut(strings.TrimPrefix(first, "# "), ". ")
		if !found || number != strings.TrimLeft(match[1], "0") {
			t.Errorf("%s: the first line is %q; it should be \"# N. title\" with the number of the file", entry.Name(), first)
		}
		records[number] = decision{title: title, file: "decisions/" + entry.Name()}
	}
	return records
}

// decision is the link to a decision on the page. The file is relative to docs.
type decision struct{ title, file string }
