package output

import (
	"io"
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

// messages returns the value and the items of a list of messages.
func (v View) messages() (protoreflect.Message, protoreflect.List, bool) {
	m, ok := v.Value.(proto.Message)
	if !ok || v.List == "" {
		return nil, nil, false
	}
	field := m.ProtoReflect().Descriptor().Fields().ByName(protoreflect.Name(v.List))
	if field == nil || !field.IsList() || field.Message() == nil {
		return nil, nil, false
	}
	return m.ProtoReflect(), m.ProtoReflect().Get(field).List(), true
}

// names writes the texts that name the items; false if they are no texts of the messages.
func (v View) names(w io.Writer, items protoreflect.List) (bool, error) {
	name := protoreflect.Name(v.Name)
	if name == "" {
		name = "id"
	}
	if slices.Contains(v.Added, string(name)) {
		return false, nil
	}
	var out []byte
	for i := range items.Len() {
		item := items.Get(i).Message()
		field := item.Descriptor().Fields().ByName(name)
		if field == nil || field.Kind() != protoreflect.StringKind || field.IsList() {
			return false, nil
		}
		out = append(append(out, console.Line(item.Get(field).String())...), '\n')
	}
	_, err := w.Write(out)
	return true, err
}

// added returns the members that are derived here for an item.
func (v View) added(i int) map[string]any {
	if v.Add == nil {
		return nil
	}
	members := map[string]any{}
	v.Add(i, members)
	return members
}

// encoded is a value that writes itself.
type encoded func(e *encoder) error

// writeJSON writes the whole value. The items are written while the rest of it waits in the encoder.
func (v View) writeJSON(w io.Writer, whole protoreflect.Message, items protoreflect.List) error {
	const depth = 1 // of the list
	e := newEncoder("  ")
	members := map[string]any{v.List: encoded(func(e *encoder) error {
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
	})}
	if v.Schema != "" {
		members["schema"] = v.Schema
	}
	if err := e.message(whole, members, 0); err != nil {
		return err
	}
	_, err := w.Write(append(e.out, '\n'))
	return err
}

// writeLines writes each item on a line.
func (v View) writeLines(w io.Writer, items protoreflect.List) error {
	return v.encode(w, items, "", 0, func(*encoder, int) {}, func(e *encoder) { e.out = append(e.out, '\n') })
}

// portion is how many items a processor encodes before they are written.
const portion = 128

// encode writes the items as JSON, with what comes before and after each. Processors share them, and their buffers are used again.
func (v View) encode(w io.Writer, items protoreflect.List, indent string, depth int, before func(e *encoder, i int), after func(*encoder)) error {
	encoders := make([]*encoder, max(1, min(runtime.GOMAXPROCS(0), items.Len()/portion)))
	for n := range encoders {
		encoders[n] = newEncoder(indent)
	}
	errs := make([]error, len(encoders))
	for from := 0; from < items.Len(); from += portion * len(encoders) {
		var all sync.WaitGroup
		for n, e := range encoders {
			e.out = e.out[:0]
			first := from + n*portion
			all.Go(func() {
				for i := first; i < min(first+portion, items.Len()) && errs[n] == nil; i++ {
					before(e, i)
					errs[n] = e.message(items.Get(i).Message(), v.added(i), depth)
					after(e)
				}
			})
		}
		all.Wait()
		for n, e := range encoders {
			if errs[n] != nil {
				return errs[n]
			}
			if _, err := w.Write(e.out); err != nil {
				return err
			}
		}
	}
	return nil
}
