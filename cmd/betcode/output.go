package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// table writes rows: aligned for a person, separated by tabs for a program. A
// program gets no header and whole values.
type table struct {
	person bool
	style  style
	header []string
	rows   [][]string
}

// table is an empty table for whoever reads what the program prints.
func (p *program) table(header ...string) *table { return p.terminal.table(header...) }

func (t terminal) table(header ...string) *table {
	return &table{person: t.out, style: style(t.colour), header: header}
}

func (t *table) add(cells ...string) {
	for i := range cells {
		cells[i] = printableLine(cells[i])
	}
	t.rows = append(t.rows, cells)
}

func (t *table) write(w io.Writer) error {
	if !t.person {
		for _, row := range t.rows {
			fmt.Fprintln(w, strings.Join(row, "\t"))
		}
		return nil
	}
	var aligned bytes.Buffer
	tw := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(t.header, "\t"))
	for _, row := range t.rows {
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for i, line := range strings.Split(strings.TrimRight(aligned.String(), "\n"), "\n") {
		line = strings.TrimRight(line, " ")
		if i == 0 {
			line = t.style.bold(line)
		}
		fmt.Fprintln(w, line)
	}
	return nil
}

// message is m in the JSON mapping of protobuf, with the names of the .proto files.
func messageJSON(m proto.Message) (map[string]any, error) {
	raw, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(m)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, err
	}
	addEmptyLists(m.ProtoReflect(), out)
	return out, nil
}

// writeJSON writes m as one JSON object that says what it is.
func writeJSON(w io.Writer, schema string, m proto.Message) error {
	object, err := messageJSON(m)
	if err != nil {
		return err
	}
	object["schema"] = schema
	return writeValue(w, object, "  ")
}

// writeLine writes a message as one line of JSON.
func writeLine(w io.Writer, m proto.Message) error {
	object, err := messageJSON(m)
	if err != nil {
		return err
	}
	return writeValue(w, object, "")
}

// writeValue writes v as JSON; with an indent over several lines.
func writeValue(w io.Writer, v any, indent string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(v)
}

// ago is how long ago something was, for a person.
func ago(t *timestamppb.Timestamp, now time.Time) string {
	if t == nil {
		return "-"
	}
	switch d := now.Sub(t.AsTime()); {
	case d < 0:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd ago", int(d.Hours()/24))
	}
}

// exact is a time for a program.
func exact(t *timestamppb.Timestamp) string {
	if t == nil {
		return ""
	}
	return t.AsTime().UTC().Format(time.RFC3339)
}

// span is a duration for a person: "2h 34m", "3d 4h", "12s".
func span(d time.Duration) string {
	s := int(d.Seconds())
	days, hours, minutes := s/86400, s/3600%24, s/60%60
	switch {
	case days > 0:
		return fmt.Sprintf("%dd %dh", days, hours)
	case hours > 0:
		return fmt.Sprintf("%dh %dm", hours, minutes)
	case minutes > 0:
		return fmt.Sprintf("%dm %ds", minutes, s%60)
	default:
		return fmt.Sprintf("%ds", s)
	}
}

// shortID is the beginning of an id, for a person.
func shortID(id string) string {
	if len(id) > 8 {
		return id[:8]
	}
	return id
}

// size is a number of bytes for a person.
func size(n uint64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return strconv.FormatUint(n, 10) + " B"
	}
	value, unit := float64(n)/1024, 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	return fmt.Sprintf("%.1f %ciB", value, units[unit])
}

// word is a value of an enum as people say it, "-" for the unspecified one.
func word(value fmt.Stringer, prefix string) string {
	name, ok := strings.CutPrefix(value.String(), prefix)
	if !ok || name == "UNSPECIFIED" {
		return "-"
	}
	return strings.ToLower(name)
}
