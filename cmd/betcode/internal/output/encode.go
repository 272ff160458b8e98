package output

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// encoder writes messages as JSON: the bytes that [console.WriteValue] writes of an [Object], without the object. A list of
// thousands of sessions is ten times as quick. Keys are in the order of their names.
type encoder struct {
	out    []byte
	indent string // of each level; empty is everything on one line
	plans  map[protoreflect.FullName][]member
	keys   map[string][]byte    // of members that are added
	values []protoreflect.Value // of the messages that are being written, the outermost first
}

// member is a field of a message and what stands before its value.
type member struct {
	name  string
	key   []byte
	field protoreflect.FieldDescriptor
}

func newEncoder(indent string) *encoder {
	return &encoder{indent: indent, plans: map[protoreflect.FullName][]member{}, keys: map[string][]byte{}}
}

// plan returns the fields of a message in the order of their names.
func (e *encoder) plan(d protoreflect.MessageDescriptor) []member {
	plan, ok := e.plans[d.FullName()]
	if ok {
		return plan
	}
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		plan = append(plan, member{string(f.Name()), e.key(string(f.Name())), f})
	}
	slices.SortFunc(plan, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	e.plans[d.FullName()] = plan
	return plan
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
	e.out = append(e.out, '\n')
	for range depth {
		e.out = append(e.out, e.indent...)
	}
}

// message writes a message at a depth. added are more members, which replace fields with their names.
func (e *encoder) message(m protoreflect.Message, added map[string]any, depth int) error {
	names := make([]string, 0, 4)
	for name := range added {
		names = append(names, name)
	}
	slices.Sort(names)
	e.out = append(e.out, '{')
	empty := true
	begin := func(key []byte) {
		if !empty {
			e.out = append(e.out, ',')
		}
		empty = false
		e.line(depth + 1)
		e.out = append(e.out, key...)
	}
	more := func() error {
		key, ok := e.keys[names[0]]
		if !ok {
			key = e.key(names[0])
			e.keys[names[0]] = key
		}
		begin(key)
		err := e.plain(added[names[0]], depth+1)
		names = names[1:]
		return err
	}
	plan := e.plan(m.Descriptor())
	from := len(e.values)
	e.values = append(e.values, make([]protoreflect.Value, len(plan))...)
	defer func() { e.values = e.values[:from] }()
	values := e.values[from:]
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		values[f.Index()] = v
		return true
	})
	for _, f := range plan {
		for len(names) > 0 && names[0] < f.name {
			if err := more(); err != nil {
				return err
			}
		}
		value := values[f.field.Index()]
		if _, replaced := added[f.name]; replaced || !value.IsValid() && !f.field.IsList() {
			continue
		}
		begin(f.key)
		if !value.IsValid() {
			e.out = append(e.out, "[]"...)
			continue
		}
		if err := e.value(f.field, value, depth+1); err != nil {
			return err
		}
	}
	for len(names) > 0 {
		if err := more(); err != nil {
			return err
		}
	}
	if !empty {
		e.line(depth)
	}
	e.out = append(e.out, '}')
	return nil
}
