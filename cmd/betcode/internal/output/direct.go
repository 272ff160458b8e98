package output

import (
	"cmp"
	"io"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"betcode/cmd/betcode/internal/console"
)

// direct writes lists of messages without an object of Go values for each item, if the options allow that. It reports whether it
// has.
func (p Printer) direct(w io.Writer, v View) (written bool, err error) {
	o := p.Options
	whole, items, ok := v.messages()
	if !ok || o.ListFields || o.Sort != "" || o.Fields != nil || o.Query != "" {
		return false, nil
	}
	switch o.Form {
	case YAML, Template:
		return false, nil
	case Name:
		return v.names(w, items)
	case JSON:
		return true, v.writeJSON(w, whole, items)
	case JSONL:
		return true, v.writeLines(w, items)
	default:
		places := make([]int, items.Len())
		for i := range places {
			places[i] = i
		}
		return true, p.people(w, v, places)
	}
}

// messages returns the value and the items of a list of messages: pointers to their structs.
func (v View) messages() (whole proto.Message, items reflect.Value, ok bool) {
	m, ok := v.Value.(proto.Message)
	if !ok || v.List == "" {
		return nil, reflect.Value{}, false
	}
	field := m.ProtoReflect().Descriptor().Fields().ByName(protoreflect.Name(v.List))
	if field == nil || !field.IsList() || field.Message() == nil {
		return nil, reflect.Value{}, false
	}
	list := reflect.ValueOf(m).Elem()
	return m, list.Field(placeOf(list.Type(), field)), true
}

// names writes the texts that name the items; false if they are no texts of the messages.
func (v View) names(w io.Writer, items reflect.Value) (bool, error) {
	name := cmp.Or(v.Name, "id")
	if slices.ContainsFunc(v.Added, func(m Member) bool { return m.Name == name }) {
		return false, nil
	}
	field := messageOf(reflect.Zero(items.Type().Elem())).ProtoReflect().Descriptor().Fields().ByName(protoreflect.Name(name))
	if field == nil || field.Kind() != protoreflect.StringKind || field.IsList() {
		return false, nil
	}
	place := placeOf(items.Type().Elem().Elem(), field)
	var out []byte
	for i := range items.Len() {
		out = append(append(out, console.Line(items.Index(i).Elem().Field(place).String())...), '\n')
	}
	_, err := w.Write(out)
	return true, err
}

// encoded is a value that writes itself.
type encoded func(e *encoder) error

// writeJSON writes the whole value. The items are written while the rest of it waits in the encoder.
func (v View) writeJSON(w io.Writer, whole proto.Message, items reflect.Value) error {
	const depth = 1 // of the list
	e := newEncoder("  ")
	list := encoded(func(e *encoder) error {
		if _, err := w.Write(append(e.out, '[')); err != nil {
			return err
		}
		e.out = e.out[:0]
		err := v.encode(w, items, e.indent, depth+1, func(e *encoder, i int) {
			if i > 0 {
				e.out = append(e.out, ',')
			}
			e.line(depth + 1)
		}, func(*encoder) {})
		if items.Len() > 0 {
			e.line(depth)
		}
		e.out = append(e.out, ']')
		return err
	})
	members := []Member{{v.List, func(int) any { return list }}}
	if v.Schema != "" {
		members = append(members, Member{"schema", func(int) any { return v.Schema }})
	}
	if err := e.message(e.planOf(whole, members), reflect.ValueOf(whole), 0, 0); err != nil {
		return err
	}
	_, err := w.Write(append(e.out, '\n'))
	return err
}

// writeLines writes each item on a line.
func (v View) writeLines(w io.Writer, items reflect.Value) error {
	return v.encode(w, items, "", 0, func(*encoder, int) {}, func(e *encoder) { e.out = append(e.out, '\n') })
}

// portion is how many items are encoded before they are written.
const portion = 64

// part is what an encoder has made of a portion.
type part struct {
	out []byte
	err error
}

// encode writes the items as JSON, with what comes before and after each. Processors share them. Each has two buffers, so that it
// goes on while a portion is written: a portion is taken only after the one before it of the same processor has been written.
func (v View) encode(w io.Writer, items reflect.Value, indent string, depth int, before func(e *encoder, i int), after func(*encoder)) error {
	kind := messageOf(reflect.Zero(items.Type().Elem()))
	parts := make([]chan part, max(1, min(runtime.GOMAXPROCS(0), items.Len()/portion)))
	var all sync.WaitGroup
	defer all.Wait()
	stop := make(chan struct{})
	defer close(stop)
	for n := range parts {
		parts[n] = make(chan part)
		all.Go(func() {
			e := newEncoder(indent)
			p := e.planOf(kind, v.Added)
			var other []byte
			for first := n * portion; first < items.Len(); first += portion * len(parts) {
				e.out, other = other[:0], e.out
				var err error
				for i := first; i < min(first+portion, items.Len()) && err == nil; i++ {
					before(e, i)
					err = e.message(p, items.Index(i), i, depth)
					after(e)
				}
				select {
				case parts[n] <- part{e.out, err}:
				case <-stop:
					return
				}
			}
		})
	}
	for at := range (items.Len() + portion - 1) / portion {
		made := <-parts[at%len(parts)]
		if made.err != nil {
			return made.err
		}
		if _, err := w.Write(made.out); err != nil {
			return err
		}
	}
	return nil
}
