package conformance

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
)

// kind is the subject of a row, and determines how it is judged.
type kind string

const (
	rpc       kind = "rpc"
	field     kind = "field"
	value     kind = "enum value"
	statusRow kind = "gRPC status"
	errorRow  kind = "error code"
	exitRow   kind = "exit code"
	behaviour kind = "behaviour"
)

// row is one thing that the documents ask for.
type row struct {
	document, heading string
	kind              kind
	name              string // as the page shows it
	id                string // by which stories and records know it

	// The requirement of the documents.
	owner  string // service, message or enum
	member string // method, field or value
	number int
	says   string // type of a field, "(in) (out)" of a call, status of an error code
	oneof  string

	planned   string // why it is not implemented yet
	deviation string // number of the record in docs/decisions
	tests     *shownByTests
}

// readRows reads testdata/rows.txt; the file describes its format.
func readRows(t *testing.T) []row {
	t.Helper()
	file, err := os.Open("testdata/rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var (
		r     reader
		lines = bufio.NewScanner(file)
	)
	for n := 1; lines.Scan(); n++ {
		if err := r.line(lines.Text()); err != nil {
			t.Fatalf("testdata/rows.txt:%d: %v", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, row := range r.rows {
		if seen[row.id] {
			t.Errorf("testdata/rows.txt: %s is there twice", row.id)
		}
		seen[row.id] = true
	}
	return r.rows
}

// reader is where the reading of the rows is.
type reader struct {
	document, heading string
	block, owner      string // "service", "message" or "enum", and its name
	planned           string // of the block
	rows              []row
}

func (r *reader) line(text string) error {
	text, note, _ := strings.Cut(text, " ! ")
	noted, err := readNote(note)
	if err != nil {
		return err
	}
	words := strings.Fields(text)
	if len(words) == 0 || words[0] == "//" {
		return nil
	}
	rest := strings.TrimSpace(strings.TrimPrefix(text, words[0]))
	this := noted
	this.document, this.heading = r.document, r.heading
	switch {
	case words[0] == "#":
		r.document = rest
		return nil
	case words[0] == "##":
		r.heading = rest
		return nil
	case strings.HasPrefix(text, "  "):
		this.owner, this.planned = r.owner, cmp.Or(noted.planned, r.planned)
		if err := r.member(&this, words); err != nil {
			return err
		}
	case words[0] == "service", words[0] == "message", words[0] == "enum":
		r.block, r.owner, r.planned = words[0], words[1], noted.planned
		return nil
	case words[0] == "status" && len(words) == 3:
		this.kind, this.member, this.name = statusRow, words[1], words[1]+" ("+words[2]+")"
		_, err = fmt.Sscan(words[2], &this.number)
	case words[0] == "error" && len(words) == 3:
		this.kind, this.member, this.says, this.name = errorRow, words[1], words[2], words[1]+" ("+words[2]+")"
	case words[0] == "exit" && len(words) > 2:
		this.kind, this.member, this.name = exitRow, words[1], rest
		_, err = fmt.Sscan(words[1], &this.number)
	case words[0] == "row":
		this.kind, this.name = behaviour, rest
	default:
		return fmt.Errorf("what is %q?", text)
	}
	this.id = cmp.Or(this.id, r.heading+"/"+cmp.Or(this.member, this.name))
	r.rows = append(r.rows, this)
	return err
}

// member reads a line below a service, a message or an enum.
func (r *reader) member(this *row, words []string) error {
	switch {
	case r.block == "service" && words[0] == "rpc" && len(words) >= 3:
		this.kind, this.member, this.says = rpc, words[1], strings.Join(words[2:], " ")
		this.name = r.owner + "." + this.member
	case r.block == "message" && len(words) >= 3:
		this.kind, this.member = field, words[1]
		if n := len(words); words[n-2] == "in" {
			this.oneof, words = words[n-1], words[:n-2]
		}
		this.says = strings.Join(words[2:], " ")
		this.name = fmt.Sprintf("%s.%s = %s", r.owner, this.member, words[0])
	case r.block == "enum" && len(words) == 2:
		this.kind, this.member = value, words[1]
		this.name = fmt.Sprintf("%s.%s = %s", r.owner, this.member, words[0])
	default:
		return fmt.Errorf("what is %q in a %s?", words, r.block)
	}
	this.id = r.owner + "." + this.member
	if this.kind == rpc {
		return nil
	}
	_, err := fmt.Sscan(words[0], &this.number)
	return err
}

// readNote reads what follows the "!" of a line.
func readNote(note string) (noted row, err error) {
	switch name, what, _ := strings.Cut(note, ": "); name {
	case "":
	case "planned":
		noted.planned = what
	case "deviation":
		noted.deviation = what
	case inVirtualTime, byATest:
		noted.tests, err = testsIn(name, what)
	default:
		err = fmt.Errorf("what is %q?", note)
	}
	return noted, err
}
