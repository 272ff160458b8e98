package transcript

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"google.golang.org/protobuf/types/known/structpb"

	"betcode/cmd/betcode/internal/console"
)

// Diff returns the rows of the change that a tool would make to files; nil for other tools. at most so many rows are
// returned; 0 is no bound.
func Diff(s console.Style, tool string, input *structpb.Struct, most int) []string {
	fields := input.GetFields()
	var out []string
	switch tool {
	case "Edit":
		out = changed(s, fields["old_string"].GetStringValue(), fields["new_string"].GetStringValue())
	case "MultiEdit":
		for _, edit := range fields["edits"].GetListValue().GetValues() {
			f := edit.GetStructValue().GetFields()
			out = append(out, changed(s, f["old_string"].GetStringValue(), f["new_string"].GetStringValue())...)
		}
	case "Write":
		out = changed(s, "", fields["content"].GetStringValue())
	case "NotebookEdit":
		out = changed(s, "", fields["new_source"].GetStringValue())
	}
	if most > 0 && len(out) > most {
		rest := len(out) - most
		out = append(out[:most:most], s.Dim(fmt.Sprintf("… %d more lines", rest)))
	}
	return out
}

// diffBytes bounds the texts that are compared line by line; longer ones are shown as removed and added.
const diffBytes = 256 << 10

// changed compares two texts by lines.
func changed(s console.Style, old, now string) []string {
	var out []string
	if old == "" || len(old)+len(now) > diffBytes {
		return append(marked(s.Red, "- ", old), marked(s.Green, "+ ", now)...)
	}
	unified := udiff.Unified("a", "b", ended(old), ended(now))
	for i, line := range strings.Split(strings.TrimSuffix(unified, "\n"), "\n") {
		switch {
		case i < 2 || line == "": // names of files
		case strings.HasPrefix(line, "@@"):
			if i > 2 {
				out = append(out, s.Dim("…"))
			}
		case line[0] == '-':
			out = append(out, s.Red("- "+console.Block(line[1:])))
		case line[0] == '+':
			out = append(out, s.Green("+ "+console.Block(line[1:])))
		default:
			out = append(out, s.Dim("  "+console.Block(line[1:])))
		}
	}
	return out
}

func ended(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

func marked(colour func(string) string, mark, text string) []string {
	if text == "" {
		return nil
	}
	var out []string
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		out = append(out, colour(mark+console.Block(line)))
	}
	return out
}
