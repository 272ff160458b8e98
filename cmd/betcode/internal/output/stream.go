package output

import (
	"bytes"
	"fmt"
	"io"
	"reflect"

	"google.golang.org/protobuf/proto"

	"betcode/cmd/betcode/internal/console"
)

// Stream is a list that is printed entry by entry, because it may have millions of entries or no end. In JSON it is a line for
// each entry, in YAML a document; a jq expression and a template see one entry at a time.
type Stream struct {
	Entry proto.Message // an empty entry: it names the fields
	Name  string        // the field that names an entry: "id" if empty
	Form  Form          // without -o

	Columns []console.Column
	Row     func(entry proto.Message, l Look) []string
	AtOnce  bool // people see each entry when it comes; otherwise a screenful is aligned together
}

// screenful is how many rows of a stream are aligned together.
const screenful = 200

// Stream prints the entries that each passes to its argument, as they arrive. An invalid form is an error before each is called.
func (p Printer) Stream(s Stream, each func(show func(entry proto.Message) error) error) error {
	if p.Options.Form == Auto {
		p.Options.Form = s.Form
	}
	v := View{Value: s.Entry, Name: s.Name}
	if p.Options.ListFields {
		return p.byObjects(p.Console.Stdout, v)
	}
	if p.Options.People() {
		return p.rows(s, each)
	}
	write, err := p.entries(v)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	return each(func(entry proto.Message) error {
		text.Reset()
		if err := write(&text, entry); err != nil {
			return err
		}
		if p.Console.Terminal.Out {
			_, err := io.WriteString(p.Console.Stdout, console.Text(text.String()))
			return err
		}
		_, err := p.Console.Stdout.Write(text.Bytes())
		return err
	})
}

// rows prints entries as rows of a table. A program gets each as it comes.
func (p Printer) rows(s Stream, each func(show func(entry proto.Message) error) error) error {
	look := p.look()
	table := console.NewTable(look.Layout, s.Columns)
	together := screenful
	if s.AtOnce || !look.Layout.Aligned {
		together = 1
	}
	n := 0
	err := each(func(entry proto.Message) error {
		table.Add(s.Row(entry, look)...)
		if n++; n%together > 0 {
			return nil
		}
		return table.Write(p.Console.Stdout)
	})
	if n == 0 && err == nil {
		p.sayEmpty("")
	}
	if n == 0 && p.Options.Form == Auto {
		return err
	}
	if written := table.Write(p.Console.Stdout); err == nil { // also what came before an error
		err = written
	}
	return err
}

// entries returns what writes an entry for programs. Expressions and templates are read once.
func (p Printer) entries(v View) (func(w io.Writer, entry proto.Message) error, error) {
	o := p.Options
	write := func(w io.Writer, object map[string]any) error { return console.WriteValue(w, object, "") }
	switch {
	case o.Form == Template:
		parsed, err := compileTemplate(o.Template)
		if err != nil {
			return nil, err
		}
		fields := v.fieldsOf(nil)
		write = func(w io.Writer, object map[string]any) error {
			v.complete(object, fields)
			return execute(w, parsed, object)
		}
	case o.Form == Name:
		write = v.writeName
	case o.Query != "":
		asked, err := compileQuestion(o.Query)
		if err != nil {
			return nil, err
		}
		write = func(w io.Writer, object map[string]any) error { return asked.ask(w, object) }
	case o.Form == YAML:
		write = func(w io.Writer, object map[string]any) error {
			if _, err := fmt.Fprintln(w, "---"); err != nil {
				return err
			}
			return writeYAML(w, object)
		}
	case o.Fields == nil:
		return lines(), nil
	}
	if err := v.selectFields(nil, o.Fields); err != nil {
		return nil, err
	}
	return func(w io.Writer, entry proto.Message) error {
		object, err := Object(entry)
		if err != nil {
			return err
		}
		if o.Fields != nil {
			if err := v.selectFields([]map[string]any{object}, o.Fields); err != nil {
				return err
			}
		}
		return write(w, object)
	}, nil
}

// lines returns what writes an entry as a line of JSON, without an object of Go values.
func lines() func(w io.Writer, entry proto.Message) error {
	e := newEncoder("")
	return func(w io.Writer, entry proto.Message) error {
		e.out = e.out[:0]
		value := reflect.ValueOf(entry)
		if err := e.message(e.plan(value), value, 0, 0); err != nil {
			return err
		}
		_, err := w.Write(append(e.out, '\n'))
		return err
	}
}
