package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// UUID is a UUID in lower case with hyphens.
type UUID string

// UnmarshalJSON reads any form of a UUID.
func (u *UUID) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	parsed, err := uuid.Parse(text)
	if err != nil {
		return fmt.Errorf("%q is no UUID", text)
	}
	*u = UUID(parsed.String())
	return nil
}

// field is a field of a message on the wire.
type field struct {
	name     string
	index    int
	omit     bool
	optional bool
	from, to Dialect
}

var known sync.Map // reflect.Type → []field

// fieldsOf returns the fields of a struct that have a tag, in their order.
func fieldsOf(t reflect.Type) []field {
	if all, ok := known.Load(t); ok {
		return all.([]field)
	}
	all := []field{}
	for i := range t.NumField() {
		tag, ok := t.Field(i).Tag.Lookup("wire")
		if !ok {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		f := field{name: name, index: i, from: G1, to: G3}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omit":
				f.omit = true
			case "opt":
				f.optional = true
			case "g2":
				f.from = G2
			case "g3":
				f.from = G3
			case "only2":
				f.from, f.to = G2, G2
			case "":
			default:
				panic("wire: unknown option " + option + " of " + t.Name() + "." + name)
			}
		}
		all = append(all, f)
	}
	known.Store(t, all)
	return all
}
