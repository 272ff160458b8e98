package output

import (
	"reflect"

	"google.golang.org/protobuf/proto"
)

// encoder writes messages as JSON: the bytes that [console.WriteValue] writes of an [Object], without the object. It reads the Go
// structs of the messages, as encoding/json does: reflection of protobuf makes a call and often an object for each field. Keys are in
// the order of their names.
type encoder struct {
	out    []byte
	indent string                 // of each level; empty is everything on one line
	margin string                 // the beginning of a line at the greatest depth so far
	plans  map[reflect.Type]*plan // of messages without derived members
}

func newEncoder(indent string) *encoder {
	return &encoder{indent: indent, margin: "\n", plans: map[reflect.Type]*plan{}}
}

// key returns a key with its colon.
func (e *encoder) key(name string) []byte {
	key := append(appendText(nil, name), ':')
	if e.indent != "" {
		key = append(key, ' ')
	}
	return key
}

// line begins a line at a depth.
func (e *encoder) line(depth int) {
	if e.indent == "" {
		return
	}
	length := len("\n") + depth*len(e.indent)
	for len(e.margin) < length {
		e.margin += e.indent
	}
	e.out = append(e.out, e.margin[:length]...)
}

// plan returns how messages are written that have nothing but their fields: those of the type of a pointer to a struct.
func (e *encoder) plan(pointer reflect.Value) *plan {
	p := e.plans[pointer.Type()]
	if p == nil {
		if m := messageOf(pointer); isOurs(m.ProtoReflect().Descriptor()) {
			p = e.planOf(m, nil)
		} else {
			p = &plan{known: true}
		}
		e.plans[pointer.Type()] = p
	}
	return p
}

// messageOf returns the message that has a struct.
func messageOf(pointer reflect.Value) proto.Message {
	return pointer.Interface().(proto.Message) //nolint:forcetypeassert // fields of messages have messages
}

// message writes a message at a depth: the pointer to its struct; i is its place among the items. No message is written as an empty one.
func (e *encoder) message(p *plan, pointer reflect.Value, i, depth int) error {
	if p.known {
		return e.known(messageOf(pointer), depth)
	}
	if pointer.IsNil() {
		pointer = reflect.New(pointer.Type().Elem())
	}
	m := pointer.Elem()
	e.out = append(e.out, '{')
	empty := true
	for at := range p.members {
		f := &p.members[at]
		var value reflect.Value
		if f.derived == nil {
			var set bool
			if value, set = f.of(m); !set {
				continue
			}
		}
		if !empty {
			e.out = append(e.out, ',')
		}
		empty = false
		e.line(depth + 1)
		e.out = append(e.out, f.key...)
		var err error
		if f.derived != nil {
			err = e.plain(f.derived(i), depth+1)
		} else {
			err = e.value(f, value, depth+1)
		}
		if err != nil {
			return err
		}
	}
	if !empty {
		e.line(depth)
	}
	e.out = append(e.out, '}')
	return nil
}
