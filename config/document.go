package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// node is a value of a settings file with its position: a string, a bool, a json.Number, nil,
// []node or []member.
type node struct {
	value        any
	line, column int // from 1
}

// member is a name with its value, in the order of the file. Its position is that of the value.
type member struct {
	name string
	node
}

func (n node) members() []member {
	all, _ := n.value.([]member)
	return all
}

// readJSON parses a document; an error has the position of the fault.
func readJSON(path string, raw []byte) (node, error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	var whole any
	if err := json.Unmarshal(raw, &whole); err != nil {
		var at int64
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
			at = max(syntax.Offset-1, 0)
		}
		line, column := position(raw, at)
		return node{}, &FileError{Path: path, Line: line, Column: column, Err: err}
	}
	w := walker{raw: raw, dec: json.NewDecoder(bytes.NewReader(raw))}
	w.dec.UseNumber()
	return w.next(), nil
}

// walker traverses JSON that is known to be valid.
type walker struct {
	raw     []byte
	dec     *json.Decoder
	line    int   // line of the byte at counted, from 0
	begins  int64 // offset of the beginning of that line
	counted int64
}

func (w *walker) next() node {
	between := w.raw[w.dec.InputOffset():]
	at := int64(len(w.raw) - len(bytes.TrimLeft(between, " \t\r\n:,")))
	n := w.at(at)
	token, err := w.dec.Token()
	if err != nil {
		panic("read sound JSON: " + err.Error())
	}
	switch token {
	case json.Delim('{'):
		members := []member{}
		for w.dec.More() {
			name, _ := w.next().value.(string)
			members = append(members, member{name, w.next()})
		}
		_, _ = w.dec.Token() // the closing delimiter
		n.value = members
	case json.Delim('['):
		items := []node{}
		for w.dec.More() {
			items = append(items, w.next())
		}
		_, _ = w.dec.Token()
		n.value = items
	default:
		n.value = token
	}
	return n
}

// at returns a node at an offset. Offsets must not decrease between calls.
func (w *walker) at(offset int64) node {
	passed := w.raw[w.counted:offset]
	w.line += bytes.Count(passed, []byte("\n"))
	if last := bytes.LastIndexByte(passed, '\n'); last >= 0 {
		w.begins = w.counted + int64(last) + 1
	}
	w.counted = offset
	return node{line: w.line + 1, column: int(offset-w.begins) + 1}
}

// position converts an offset to line and column, both from 1.
func position(raw []byte, at int64) (line, column int) {
	before := raw[:min(int(at), len(raw))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

// readTOML parses a document; an error has the position of the fault. Values have the position of their keys.
func readTOML(path string, raw []byte) (node, error) {
	var whole map[string]any
	if err := toml.Unmarshal(raw, &whole); err != nil {
		wrong := &FileError{Path: path, Line: 1, Column: 1, Err: err}
		if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
			wrong.Line, wrong.Column = at.Position()
		}
		return node{}, wrong
	}
	return fromTOML(whole, "", keysOf(raw), node{line: 1, column: 1}), nil
}

// keysOf returns the positions of the keys of a document, by dotted name.
func keysOf(raw []byte) map[string]node {
	keys := map[string]node{}
	var table []string
	var p unstable.Parser
	p.Reset(raw)
	for p.NextExpression() {
		e := p.Expression()
		var name []string
		if e.Kind == unstable.KeyValue {
			name = slices.Clone(table)
		}
		for it := e.Key(); it.Next(); {
			at := p.Shape(p.Range(it.Node().Data)).Start
			name = append(name, string(it.Node().Data))
			if _, known := keys[strings.Join(name, ".")]; !known {
				keys[strings.Join(name, ".")] = node{line: at.Line, column: at.Column}
			}
		}
		if e.Kind == unstable.Table || e.Kind == unstable.ArrayTable {
			table = name
		}
	}
	return keys
}

func fromTOML(v any, name string, keys map[string]node, above node) node {
	at, known := keys[name]
	if !known {
		at = above
	}
	switch v := v.(type) {
	case map[string]any:
		members := []member{}
		for key, value := range v {
			below := key
			if name != "" {
				below = name + "." + key
			}
			members = append(members, member{key, fromTOML(value, below, keys, at)})
		}
		slices.SortFunc(members, func(a, b member) int {
			return cmp.Or(a.line-b.line, a.column-b.column, strings.Compare(a.name, b.name))
		})
		at.value = members
	case []any:
		items := []node{}
		for _, value := range v {
			items = append(items, fromTOML(value, "", nil, at))
		}
		at.value = items
	case int64:
		at.value = json.Number(strconv.FormatInt(v, 10))
	case float64:
		at.value = json.Number(strconv.FormatFloat(v, 'g', -1, 64))
	case string, bool:
		at.value = v
	default: // a date, which no setting accepts
		at.value = []node{{value: fmt.Sprint(v)}, {value: nil}}
	}
	return at
}
