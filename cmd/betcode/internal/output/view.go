package output

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/messages/toolcall"
)

// View is the result of a command.
type View struct {
	Schema string // names the shape of Value and its version, for example "betcode.session.list/v2"; empty if Value has it
	Value  any    // a message, or a value that encoding/json writes as an object
	List   string // the field of Value that has the items of a list; empty for one object
	Name   string // the field that names an item or the object: "id" if empty

	Added []Member // of each item, or of the object: derived here

	// People read a table with a row for each item, or the text. Row may be called from several goroutines.
	Columns []console.Column
	Row     func(i int, l Look) []string
	Text    func(w io.Writer, l Look) error

	Empty  string // printed for a person instead of a table without rows; a default reports that there is nothing
	Remark string // printed below a table for a person on a terminal
	Err    error  // returned after the value is printed
}

// Member is a member of an object that is derived here. It replaces a field with its name.
type Member struct {
	Name  string
	Value func(i int) any // of an item; several goroutines may call it
}

// Look is how text appears: exact and whole for programs, short and relative for people.
type Look struct {
	Person bool
	Wide   bool
	Layout console.Layout
	Now    time.Time
}

// When returns a time.
func (l Look) When(t *timestamppb.Timestamp) string {
	if l.Person {
		return console.Ago(t, l.Now)
	}
	return console.Exact(t)
}

// ID returns an id.
func (l Look) ID(id string) string {
	if l.Person && !l.Wide {
		return console.ShortID(id)
	}
	return id
}

// Cut returns text of at most so many bytes for a person, who sees the rest in the wide form.
func (l Look) Cut(text string, most int) string {
	if l.Person && !l.Wide {
		return toolcall.Cut(console.Line(text), most)
	}
	return text
}

// Bytes returns a size.
func (l Look) Bytes(n uint64) string {
	if l.Person {
		return console.Size(n)
	}
	return fmt.Sprint(n)
}

// Sheet returns a table of names and values, without titles.
func (l Look) Sheet() *console.Table {
	layout := l.Layout
	layout.Header, layout.Width = false, 0
	return console.NewTable(layout, nil)
}

// Table returns a table inside a text.
func (l Look) Table(titles ...string) *console.Table {
	return console.NewTable(l.Layout, console.Columns(titles...))
}

// Style returns the style of text.
func (l Look) Style() console.Style { return l.Layout.Style }

// objects returns the whole value, and its items or the value itself as the only one.
func (v View) objects() (whole map[string]any, items []map[string]any, err error) {
	if whole, err = Object(v.Value); err != nil {
		return nil, nil, err
	}
	items = []map[string]any{whole}
	if v.List != "" {
		values, _ := whole[v.List].([]any)
		items = make([]map[string]any, len(values))
		for i, value := range values {
			items[i], _ = value.(map[string]any)
		}
		if values == nil {
			whole[v.List] = []any{}
		}
	}
	for i := range items {
		for _, m := range v.Added {
			items[i][m.Name] = m.Value(i)
		}
	}
	if v.Schema != "" { // otherwise the value names it
		whole["schema"] = v.Schema
	}
	return whole, items, nil
}

// order returns the places of the items in the order that --sort asks for; equal ones keep their order.
func (v View) order(items []map[string]any, by string) ([]int, error) {
	places := make([]int, len(items))
	for i := range places {
		places[i] = i
	}
	field, descending := strings.CutPrefix(by, "-")
	if field == "" || v.List == "" {
		return places, nil
	}
	if known := v.fieldsOf(items); len(items) > 0 && !slices.Contains(known, field) {
		return nil, exit.Usage(fmt.Errorf("--sort %s: there is no such field; the fields are %s", by, strings.Join(known, ", ")))
	}
	slices.SortStableFunc(places, func(a, b int) int {
		order := compare(items[a][field], items[b][field])
		if descending {
			return -order
		}
		return order
	})
	return places, nil
}

// compare orders two values of a field. A field that is not set is the smallest.
func compare(a, b any) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	x, numbers := asFloat(a)
	y, also := asFloat(b)
	switch {
	case !numbers || !also:
		return strings.Compare(text(a), text(b))
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func asFloat(value any) (float64, bool) {
	switch n := value.(type) {
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}
