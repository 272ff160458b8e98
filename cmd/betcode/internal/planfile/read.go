package planfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"betcode/messages/plan"
)

// MaxBytes bounds a file.
const MaxBytes = 8 << 20

// maxMistakes bounds the mistakes that are reported.
const maxMistakes = 20

// Mistake is why a file is no plan that can be played.
type Mistake struct {
	Line, Column int // from 1
	Text         string
	Cycle        []string // ids, if steps depend on each other in a cycle
}

// MistakesError is the mistakes of one file, in its order.
type MistakesError struct {
	File string
	List []Mistake
}

// Error implements error: a line for each mistake.
func (m *MistakesError) Error() string {
	var lines []string
	for _, one := range m.List {
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", m.File, one.Line, one.Column, one.Text))
	}
	return strings.Join(lines, "\n")
}

// File is a plan, and where its parts are in the text.
type File struct {
	Plan  plan.Plan
	lines map[spot]position
}

// spot names a part of a plan as [plan.Problem] does.
type spot struct {
	step  int
	field string
	item  int
}

type position struct{ line, column int }

// Read reads a plan from the text of a file called name. Relative directories are relative to base, which is absolute. The
// error of a text that is no plan is [*MistakesError].
func Read(name, base string, text []byte) (plan.Plan, error) {
	d := &decoder{base: base, file: &File{lines: map[spot]position{}}}
	d.document(text)
	if len(d.mistakes) == 0 {
		for _, p := range d.file.Plan.Check() {
			at := d.file.find(p)
			d.mistakes = append(d.mistakes, Mistake{Line: at.line, Column: at.column, Text: p.Text, Cycle: p.Cycle})
		}
	}
	if len(d.mistakes) == 0 {
		return d.file.Plan, nil
	}
	slices.SortStableFunc(d.mistakes, func(a, b Mistake) int { return a.Line - b.Line })
	return plan.Plan{}, &MistakesError{File: name, List: d.mistakes[:min(len(d.mistakes), maxMistakes)]}
}

// find returns the position of the field of a problem, or of the nearest field around it.
func (f *File) find(p plan.Problem) position {
	p.Field = strings.TrimPrefix(strings.TrimPrefix(p.Field, "auto_approve."), "merge.")
	for _, s := range []spot{{p.Step, p.Field, p.Item}, {p.Step, p.Field, -1}, {p.Step, "", -1}, {-1, "", -1}} {
		if at, known := f.lines[s]; known {
			return at
		}
	}
	return position{1, 1}
}

// decoder reads the nodes of a file. It goes on after a mistake.
type decoder struct {
	base     string
	file     *File
	step     int // the one that is read; -1 = the plan
	mistakes []Mistake
}

func (d *decoder) mistake(n *yaml.Node, format string, args ...any) {
	d.mistakes = append(d.mistakes, Mistake{Line: max(n.Line, 1), Column: max(n.Column, 1), Text: fmt.Sprintf(format, args...)})
}

func (d *decoder) document(text []byte) {
	top := &yaml.Node{Line: 1, Column: 1}
	if len(text) > MaxBytes {
		d.mistake(top, "the file has %d bytes, at most %d are allowed", len(text), MaxBytes)
		return
	}
	decode := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	switch err := decode.Decode(&document); {
	case errors.Is(err, io.EOF):
		d.mistake(top, "the file is empty")
		return
	case err != nil:
		d.syntax(err)
		return
	}
	var second yaml.Node
	switch err := decode.Decode(&second); {
	case err == nil:
		d.mistake(&second, "a second document follows; a file has one plan")
		return
	case !errors.Is(err, io.EOF):
		d.syntax(err)
		return
	}
	root := document.Content[0]
	d.step = -1
	d.file.lines[spot{-1, "", -1}] = position{root.Line, root.Column}
	object(d, root, "the plan", planFields, &d.file.Plan)
}

// syntax reports text that is no YAML. The parser's error says the line in words.
func (d *decoder) syntax(err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, found := strings.CutPrefix(text, "line "); found {
		if n, _ := fmt.Sscanf(rest, "%d", &line); n == 1 {
			if _, after, ok := strings.Cut(rest, ": "); ok {
				text = after
			}
		}
	}
	d.mistake(&yaml.Node{Line: line, Column: 1}, "not YAML: %s", text)
}

// object reads a mapping into a value by a table of fields.
func object[T any](d *decoder, n *yaml.Node, what string, fields []field[T], into *T) {
	if n.Kind != yaml.MappingNode {
		d.mistake(n, "%s is %s, not a mapping of keys to values", what, kindOf(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := slices.IndexFunc(fields, func(f field[T]) bool { return f.name == key.Value })
		switch {
		case key.Kind != yaml.ScalarNode || at < 0:
			d.mistake(key, "%s has no key %q; its keys are %s", what, clip(key.Value), names(fields))
			continue
		case seen[key.Value]:
			d.mistake(key, "the key %s is there twice", key.Value)
			continue
		}
		seen[key.Value] = true
		fields[at].read(d, value, into)
	}
	for _, f := range fields {
		if f.required && !seen[f.name] {
			d.mistake(n, "%s has no %s", what, f.name)
		}
	}
}

func names[T any](fields []field[T]) string {
	var all []string
	for _, f := range fields {
		all = append(all, f.name)
	}
	return strings.Join(all, ", ")
}

// kindOf returns the name of a node's kind.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.DocumentNode:
		return "a document"
	case yaml.AliasNode:
		return "an alias, which plans do not have"
	case yaml.ScalarNode:
		switch n.Tag {
		case "!!null":
			return "empty"
		case "!!str":
			return "text"
		case "!!int", "!!float":
			return "a number"
		case "!!bool":
			return "true or false"
		}
	}
	return "a " + strings.TrimLeft(n.Tag, "!")
}

// note stores where a part of the plan is.
func (d *decoder) note(n *yaml.Node, field string, item int) {
	d.file.lines[spot{d.step, field, item}] = position{n.Line, n.Column}
}

func clip(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}
