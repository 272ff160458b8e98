package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"betcode/tests/kit"
)

// unjudged is the verdict of a row that the codec has not been held against.
const unjudged = "new"

// row is one name of the SDK.
type row struct{ kind, name, verdict string }

// table is sdk.txt: which SDK it was made from, and its names.
type table struct {
	version, integrity string
	rows               []row
}

// tableFile is where the table lives: beside the tests of the codec.
func tableFile() string {
	return filepath.Join(kit.Repository(), "actors", "internal", "claude", "testdata", "sdk.txt")
}

const heading = `# Names in sdk.d.ts of ` + Package + `; written by "make sdk", see tests/sdk.
# kind, name, verdict: what the codec does with it (see sdk_test.go).
`

// readTable reads a table; a file that does not exist is an empty one.
func readTable(path string) (table, error) {
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return table{}, nil
	}
	if err != nil {
		return table{}, fmt.Errorf("read the table of SDK names: %w", err)
	}
	var t table
	for n, line := range strings.Split(string(b), "\n") {
		part := columns.Split(line, 3)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case len(part) != 3:
			return table{}, fmt.Errorf("read the table of SDK names: line %d has %d columns", n+1, len(part))
		case part[0] == "sdk":
			t.version, t.integrity = part[1], part[2]
		default:
			t.rows = append(t.rows, row{part[0], part[1], part[2]})
		}
	}
	return t, nil
}

var columns = regexp.MustCompile(` +`)

// write replaces the table.
func (t table) write(path string) error {
	var b strings.Builder
	b.WriteString(heading)
	fmt.Fprintf(&b, "sdk %s %s\n", t.version, t.integrity)
	for _, r := range t.rows {
		fmt.Fprintf(&b, "%-8s %-60s %s\n", r.kind, r.name, r.verdict)
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// judgedBy gives names the verdicts that a table has for them.
func judgedBy(rows []row, known table) []row {
	verdicts := map[row]string{}
	for _, r := range known.rows {
		verdicts[row{kind: r.kind, name: r.name}] = r.verdict
	}
	judged := make([]row, 0, len(rows))
	for _, r := range rows {
		r.verdict = unjudged
		if v := verdicts[row{kind: r.kind, name: r.name}]; v != "" {
			r.verdict = v
		}
		judged = append(judged, r)
	}
	return judged
}

// differences lists the names that only one of them has, one per line.
func differences(sdk []row, known table) (missing, gone []string) {
	in := func(rows []row) map[string]bool {
		all := map[string]bool{}
		for _, r := range rows {
			all[r.kind+" "+r.name] = true
		}
		return all
	}
	has, had := in(sdk), in(known.rows)
	for _, r := range sdk {
		if name := r.kind + " " + r.name; !had[name] {
			missing = append(missing, name)
		}
	}
	for _, r := range known.rows {
		if name := r.kind + " " + r.name; !has[name] {
			gone = append(gone, name)
		}
	}
	return missing, gone
}
