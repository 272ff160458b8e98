package cli

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// forms compares the forms of output of a command with each other. A list has at least one item.
func forms(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: forms list|show|stream FIELD ARG...")
	}
	f := formsOf{ts, args[1], args[2:]}
	n := 1
	switch args[0] {
	case "list":
		n = f.list()
	case "show":
		f.show()
	case "stream":
		f.stream()
		return
	default:
		ts.Fatalf("forms of a %s", args[0])
	}
	var whole struct{ Schema string }
	f.decode(f.run("--json"), &whole)
	if whole.Schema == "" || f.run("--jq", ".schema") != whole.Schema+"\n" {
		ts.Fatalf("%q: the schema is %q", f.args, whole.Schema)
	}
	if yaml := f.run("-o", "yaml"); !strings.Contains(yaml, "schema: "+whole.Schema+"\n") {
		ts.Fatalf("%q: no schema in\n%s", f.args, yaml)
	}
	for _, form := range []string{"name", "template={{json ." + f.field + "}}"} {
		if lines := f.lines("-o", form); len(lines) != n {
			ts.Fatalf("%q -o %s: %d lines, want %d", f.args, form, len(lines), n)
		}
	}
	f.unknown()
}

// unknown checks that a form that does not exist is refused.
func (f formsOf) unknown() {
	if exitCode(f.ts, f.ts.Exec("betcode", f.with("-o", "png")...)) != 5 || !strings.Contains(f.ts.ReadFile("stderr"), "wide, json, jsonl, yaml, name or template=TEXT") {
		f.ts.Fatalf("%q -o png: %s", f.args, f.ts.ReadFile("stderr"))
	}
}

// stream compares the forms of a list that is printed as it comes.
func (f formsOf) stream() {
	n := len(f.lines("--json"))
	var entry map[string]json.RawMessage
	if f.decode(f.lines("--json")[0], &entry); entry[f.field] == nil {
		f.ts.Fatalf("%q --json: no %s in %s", f.args, f.field, entry)
	}
	for _, flags := range [][]string{
		{"-o", "json"}, {"-o", "jsonl"}, {"-o", "name"}, {"-o", "template={{json ." + f.field + "}}"}, {"--json=" + f.field}, {"--jq", "." + f.field}, {"-o", "table", "--no-headers"},
	} {
		if lines := f.lines(flags...); len(lines) != n {
			f.ts.Fatalf("%q %q: %d lines, want %d", f.args, flags, len(lines), n)
		}
	}
	if documents := strings.Count("\n"+f.run("-o", "yaml"), "\n---\n"); documents != n {
		f.ts.Fatalf("%q -o yaml: %d documents, want %d", f.args, documents, n)
	}
	if !slices.Contains(f.lines("--json="), f.field) {
		f.ts.Fatalf("%q --json=: no %s", f.args, f.field)
	}
	table, wide := f.lines("-o", "table"), f.lines("-o", "wide")
	if table[0] != strings.ToUpper(table[0]) || wide[0] != strings.ToUpper(wide[0]) || len(table) != n+1 || len(wide) != n+1 {
		f.ts.Fatalf("%q: table %q, wide %q", f.args, table, wide)
	}
	for _, flags := range [][]string{{"--sort", f.field}, {"--watch"}} {
		if exitCode(f.ts, f.ts.Exec("betcode", f.with(flags...)...)) != 5 || !strings.Contains(f.ts.ReadFile("stderr"), "prints entries as they come") {
			f.ts.Fatalf("%q %q: %s", f.args, flags, f.ts.ReadFile("stderr"))
		}
	}
	f.unknown()
}

// formsOf is a command and a field of its output.
type formsOf struct {
	ts    *testscript.TestScript
	field string
	args  []string
}

// list checks the forms of a list, and returns the number of its items.
func (f formsOf) list() int {
	values := f.values(f.run("--json=" + f.field))
	if len(values) == 0 {
		f.ts.Fatalf("%q lists nothing", f.args)
	}
	if lines := f.lines("--json="+f.field, "-o", "jsonl"); len(lines) != len(values) {
		f.ts.Fatalf("%q -o jsonl: %d lines, want %d", f.args, len(lines), len(values))
	}
	up, down := f.values(f.run("--json="+f.field, "--sort", f.field)), f.values(f.run("--json="+f.field, "--sort", "-"+f.field))
	slices.Reverse(down)
	if !slices.Equal(up, down) {
		f.ts.Fatalf("%q --sort: %q, and reversed %q", f.args, up, down)
	}
	table, wide, bare := f.lines("-o", "table"), f.lines("-o", "wide"), f.lines("-o", "table", "--no-headers")
	if table[0] != strings.ToUpper(table[0]) || !slices.Equal(strings.Fields(wide[0])[:1], strings.Fields(table[0])[:1]) || len(bare) != len(table)-1 {
		f.ts.Fatalf("%q: table %q, wide %q, without titles %q", f.args, table, wide, bare)
	}
	f.watch()
	return len(values)
}

// show checks the forms of an object.
func (f formsOf) show() {
	var object map[string]json.RawMessage
	if f.decode(f.run("--json="+f.field), &object); len(object) != 1 || object[f.field] == nil {
		f.ts.Fatalf("%q --json=%s: %s", f.args, f.field, object)
	}
	if lines := f.lines("-o", "jsonl"); len(lines) != 1 {
		f.ts.Fatalf("%q -o jsonl: %q", f.args, lines)
	}
	for _, form := range []string{"table", "wide"} {
		if f.run("-o", form) == "" {
			f.ts.Fatalf("%q -o %s prints nothing", f.args, form)
		}
	}
}

// watch runs the command with --watch, and presses Ctrl-C when the list is shown.
func (f formsOf) watch() {
	c := exec.Command(f.ts.Value(clientsKey{}).(clients).program, f.with("-o", "name", "--watch")...)
	c.Dir, c.Env = f.ts.MkAbs("."), environ(f.ts)
	out, err := c.StdoutPipe()
	f.ts.Check(err)
	f.ts.Check(c.Start())
	_, failed := bufio.NewReader(out).ReadString('\n')
	f.ts.Check(c.Process.Signal(syscall.SIGINT))
	if code := exitCode(f.ts, c.Wait()); failed != nil || code != 130 {
		f.ts.Fatalf("%q --watch: exit %d, %v", f.args, code, failed)
	}
}

func (f formsOf) with(flags ...string) []string { return slices.Concat(f.args, flags) }

// run returns the output of the command with flags.
func (f formsOf) run(flags ...string) string {
	if code := exitCode(f.ts, f.ts.Exec("betcode", f.with(flags...)...)); code != 0 {
		f.ts.Fatalf("betcode %q: exit %d\n%s", f.with(flags...), code, f.ts.ReadFile("stderr"))
	}
	return f.ts.ReadFile("stdout")
}

func (f formsOf) lines(flags ...string) []string {
	return strings.Split(strings.TrimSuffix(f.run(flags...), "\n"), "\n")
}

func (f formsOf) decode(text string, into any) {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		f.ts.Fatalf("%q: %v\n%s", f.args, err, text)
	}
}

// values returns the field of each item; items have no others.
func (f formsOf) values(text string) (values []string) {
	var items []map[string]json.RawMessage
	f.decode(text, &items)
	for _, item := range items {
		if len(item) != 1 {
			f.ts.Fatalf("%q --json=%s: %s", f.args, f.field, item)
		}
		values = append(values, string(item[f.field]))
	}
	return values
}
