package output

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
)

// Printer writes views to standard output.
type Printer struct {
	Console *console.Console
	Options Options
}

// Print writes a view in the form that the options name, and returns the error of the view or of writing.
func (p Printer) Print(v View) error {
	length, err := p.put(v)
	if err != nil {
		return err
	}
	if v.Row != nil && length == 0 {
		p.sayEmpty(v.Empty)
	}
	if v.Remark != "" && p.Options.Form == Auto && p.Console.Terminal.Out {
		p.Console.Say("%s", v.Remark)
	}
	return v.Err
}

// sayEmpty informs a person on a terminal that a list has no items; a table that -o names has its titles instead.
func (p Printer) sayEmpty(text string) {
	if p.Options.Form == Auto && p.Console.Terminal.Out {
		p.Console.Say("%s", cmp.Or(text, "There is nothing to list."))
	}
}

// put writes a view to standard output, and returns how many bytes that were. Long lists for programs are written as they are
// encoded; everything else at once, so that an error leaves nothing half written.
func (p Printer) put(v View) (int, error) {
	if !p.Console.Terminal.Out {
		counted := counter{w: p.Console.Stdout}
		if written, err := p.direct(&counted, v); written || err != nil {
			return counted.n, err
		}
	}
	text, err := p.text(v)
	if err != nil {
		return 0, err
	}
	return p.Console.Stdout.Write(text)
}

// counter counts the bytes that are written to another writer.
type counter struct {
	w io.Writer
	n int
}

// Write implements [io.Writer].
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += n
	return n, err
}

// text returns the output. Values have text of agents and repositories: on a terminal its control characters are escaped. In JSON
// the escapes represent the same characters.
func (p Printer) text(v View) ([]byte, error) {
	var text bytes.Buffer
	if err := p.write(&text, v); err != nil {
		return nil, err
	}
	if p.Options.People() || !p.Console.Terminal.Out {
		return text.Bytes(), nil
	}
	return []byte(console.Text(text.String())), nil
}

func (p Printer) write(w io.Writer, v View) error {
	if written, err := p.direct(w, v); written || err != nil {
		return err
	}
	return p.byObjects(w, v)
}

// byObjects writes a view that is an object of Go values first, as fields, expressions and templates need it.
func (p Printer) byObjects(w io.Writer, v View) error {
	whole, items, err := v.objects()
	if err != nil {
		return err
	}
	if p.Options.ListFields {
		for _, name := range v.fieldsOf(items) {
			if _, err := fmt.Fprintln(w, name); err != nil {
				return err
			}
		}
		return nil
	}
	places, err := v.order(items, p.Options.Sort)
	if err != nil {
		return err
	}
	if v.List != "" { // the items in their order
		sorted, values := make([]map[string]any, len(items)), make([]any, len(items))
		for to, from := range places {
			sorted[to], values[to] = items[from], items[from]
		}
		items, whole[v.List] = sorted, values
	}
	switch p.Options.Form {
	default: // a table, or a form that only this command has
		return p.people(w, v, places)
	case JSON, JSONL, YAML:
		return p.programs(w, v, whole, items)
	case Name:
		for _, item := range items {
			if err := v.writeName(w, item); err != nil {
				return err
			}
		}
		return nil
	case Template:
		parsed, err := compileTemplate(p.Options.Template)
		if err != nil {
			return err
		}
		fields := v.fieldsOf(items)
		for _, item := range items {
			v.complete(item, fields)
			if err := execute(w, parsed, item); err != nil {
				return err
			}
		}
		return nil
	}
}

// writeName writes the field that names an item.
func (v View) writeName(w io.Writer, item map[string]any) error {
	name := cmp.Or(v.Name, "id")
	v.complete(item, []string{name})
	_, err := fmt.Fprintln(w, console.Line(text(item[name])))
	return err
}

// programs writes JSON or YAML.
func (p Printer) programs(w io.Writer, v View, whole map[string]any, items []map[string]any) error {
	var value any = whole
	if p.Options.Fields != nil {
		if err := v.selectFields(items, p.Options.Fields); err != nil {
			return err
		}
		if value = items; v.List == "" {
			value = items[0]
		}
	}
	switch {
	case p.Options.Query != "":
		asked, err := compileQuestion(p.Options.Query)
		if err != nil {
			return err
		}
		return asked.ask(w, value)
	case p.Options.Form == YAML:
		return writeYAML(w, value)
	case p.Options.Form == JSONL:
		for _, item := range items {
			if err := console.WriteValue(w, item, ""); err != nil {
				return err
			}
		}
		return nil
	}
	return console.WriteValue(w, value, "  ")
}

// writeYAML writes a document.
func writeYAML(w io.Writer, value any) error {
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	if err := enc.Encode(value); err != nil {
		return err
	}
	return enc.Close()
}

// selectFields reduces objects to the named fields.
func (v View) selectFields(objects []map[string]any, names []string) error {
	known := v.fieldsOf(objects)
	for _, name := range names {
		if (len(objects) > 0 || len(known) > 0) && !slices.Contains(known, name) {
			return exit.Usage(fmt.Errorf("--json=%s: there is no such field; the fields are %s", name, strings.Join(known, ", ")))
		}
	}
	for _, object := range objects {
		for name := range object {
			if !slices.Contains(names, name) {
				delete(object, name)
			}
		}
		v.complete(object, names)
	}
	return nil
}

// complete adds the fields that an object does not have.
func (v View) complete(object map[string]any, names []string) {
	for _, name := range names {
		if _, ok := object[name]; !ok {
			object[name] = v.zero(name)
		}
	}
}

// person reports whether a person reads a table or a text: on a terminal, or in a form that -o names.
func (p Printer) person() bool {
	return p.Options.People() && (p.Console.Terminal.Out || p.Options.Form != Auto)
}

// look returns how text appears in the form of the options.
func (p Printer) look() Look {
	t, wide, person := p.Console.Terminal, p.Options.Form == Wide, p.person()
	return Look{Person: person, Wide: wide, Now: time.Now(), Layout: console.Layout{
		Aligned: person, Header: person && !p.Options.NoHeaders, Wide: wide, Width: t.Width, Style: console.Style(t.Colour),
	}}
}

// people writes a table or a text. A form that -o names is that of a person even if a program reads it.
func (p Printer) people(w io.Writer, v View, places []int) error {
	look := p.look()
	if v.Row == nil {
		return v.Text(w, look)
	}
	if p.Options.Form == Auto && look.Person && len(places) == 0 {
		return nil // a line on standard error reports the empty list
	}
	table := console.NewTable(look.Layout, v.Columns)
	table.AddAll(len(places), func(i int) []string { return v.Row(places[i], look) })
	return table.Write(w)
}
