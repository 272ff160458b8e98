package planfile

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// scalar reports whether a node is a scalar of one of the kinds, and notes where it is.
func scalar(d *decoder, n *yaml.Node, name, wanted string, tags ...string) bool {
	d.note(n, name, -1)
	if n.Kind == yaml.ScalarNode && slices.Contains(tags, n.Tag) {
		return true
	}
	hint := ""
	if wanted == "text" && n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		hint = "; put it between quotes"
	}
	d.mistake(n, "%s is %s, not %s%s", name, kindOf(n), wanted, hint)
	return false
}

func text[T any](name, doc string, most int, set func(*T, string)) field[T] {
	return field[T]{
		name: name, doc: doc, schema: map[string]any{"type": "string", "maxLength": most},
		read: func(d *decoder, n *yaml.Node, into *T) {
			if scalar(d, n, name, "text", "!!str") {
				set(into, n.Value)
			}
		},
	}
}

func choice[T any](name, doc string, values []string, set func(*T, string)) field[T] {
	f := text(name, doc, 0, set)
	f.schema = map[string]any{"enum": values}
	f.read = func(d *decoder, n *yaml.Node, into *T) {
		switch {
		case !scalar(d, n, name, "text", "!!str"):
		case !slices.Contains(values, n.Value):
			d.mistake(n, "%s is %q; give %s", name, clip(n.Value), strings.Join(values, ", "))
		default:
			set(into, n.Value)
		}
	}
	return f
}

func count[T any](name, doc string, most int, set func(*T, int)) field[T] {
	return field[T]{
		name: name, doc: doc, schema: map[string]any{"type": "integer", "minimum": 1, "maximum": most},
		read: func(d *decoder, n *yaml.Node, into *T) {
			if !scalar(d, n, name, "a whole number", "!!int") {
				return
			}
			v, err := strconv.Atoi(n.Value)
			if err != nil || v < 1 || v > most {
				d.mistake(n, "%s is %s; give 1 to %d", name, clip(n.Value), most)
				return
			}
			set(into, v)
		},
	}
}

func amount[T any](name, doc string, set func(*T, float64)) field[T] {
	return field[T]{
		name: name, doc: doc, schema: map[string]any{"type": "number", "exclusiveMinimum": 0},
		read: func(d *decoder, n *yaml.Node, into *T) {
			if !scalar(d, n, name, "a number", "!!int", "!!float") {
				return
			}
			v, err := strconv.ParseFloat(n.Value, 64)
			if err != nil || v <= 0 || v > 1e9 {
				d.mistake(n, "%s is %s; give an amount above 0", name, clip(n.Value))
				return
			}
			set(into, v)
		},
	}
}

func yesNo[T any](name, doc string, set func(*T, bool)) field[T] {
	return field[T]{
		name: name, doc: doc, schema: map[string]any{"type": "boolean"},
		read: func(d *decoder, n *yaml.Node, into *T) {
			if scalar(d, n, name, "true or false", "!!bool") {
				set(into, strings.EqualFold(n.Value, "true"))
			}
		},
	}
}

func span[T any](name, doc string, set func(*T, time.Duration)) field[T] {
	f := text[T](name, doc+" As 90s, 15m or 1h30m.", 0, nil)
	f.schema = map[string]any{"type": "string", "pattern": `^([0-9]+h)?([0-9]+m)?([0-9]+s)?$`, "minLength": 2}
	f.read = func(d *decoder, n *yaml.Node, into *T) {
		if !scalar(d, n, name, "text", "!!str") {
			return
		}
		v, err := time.ParseDuration(n.Value)
		if err != nil || v <= 0 {
			d.mistake(n, "%s is %q; give a time such as 90s, 15m or 1h30m", name, clip(n.Value))
			return
		}
		set(into, v)
	}
	return f
}

func list[T any](name, doc string, most int, set func(*T, []string)) field[T] {
	return field[T]{
		name: name, doc: doc, schema: map[string]any{"type": "array", "maxItems": most, "items": map[string]any{"type": "string"}},
		read: func(d *decoder, n *yaml.Node, into *T) {
			d.note(n, name, -1)
			if n.Kind != yaml.SequenceNode {
				d.mistake(n, "%s is %s, not a list", name, kindOf(n))
				return
			}
			var all []string
			for i, node := range n.Content {
				if node.Kind != yaml.ScalarNode || node.Tag != "!!str" {
					d.mistake(node, "an entry of %s is %s, not text; put it between quotes", name, kindOf(node))
					continue
				}
				d.note(node, name, i)
				all = append(all, node.Value)
			}
			set(into, all)
		},
	}
}

func required[T any](f field[T]) field[T] {
	f.required = true
	return f
}

func patterned[T any](f field[T], pattern string) field[T] {
	f.schema["pattern"] = pattern
	return f
}
