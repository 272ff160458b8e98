package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// resultLines is how many lines of a tool's output are shown.
const resultLines = 6

func (r *Renderer) toolCall(t *pb.ToolCallStart) {
	if t.GetWithdrawn() {
		r.Line("%s", r.style.Dim("(the agent took back its call of "+console.Line(t.GetToolName())+")"))
		return
	}
	r.shown.call(t.GetToolId(), t.GetToolName())
	r.Line("%s %s  %s", r.style.Green("●"), r.style.Bold(console.Line(t.GetToolName())), console.ToolCall(t.GetToolName(), t.GetInput(), t.GetDescription(), 160))
}

func (r *Renderer) toolResult(t *pb.ToolCallResult) {
	output := t.GetOutput()
	if !r.verbose {
		output = Readable(output)
	}
	lines := strings.Split(strings.TrimRight(console.Text(output), "\n"), "\n")
	rest := len(lines) - resultLines
	if rest > 0 {
		lines = lines[:resultLines]
	}
	for _, line := range lines {
		line = console.Shorten(line, 200)
		if t.GetIsError() {
			r.Line("    %s", r.style.Red(line))
		} else {
			r.Line("    %s", r.style.Dim(line))
		}
	}
	if rest > 0 {
		r.Line("    %s", r.style.Dim(fmt.Sprintf("… %d more lines", rest)))
	}
}

// telling are the fields of a tool's input that describe a call best, the most informative first.
var telling = []string{"command", "file_path", "path", "pattern", "query", "url", "description", "prompt"}

// FieldOrder returns the names of fields, the most telling first.
func FieldOrder(fields map[string]*structpb.Value) []string {
	rank := func(key string) int {
		if i := slices.Index(telling, key); i >= 0 {
			return i
		}
		return len(telling)
	}
	keys := slices.Sorted(maps.Keys(fields))
	slices.SortStableFunc(keys, func(a, b string) int { return rank(a) - rank(b) })
	return keys
}

// summary returns the most telling text in a tool's input.
func summary(input *structpb.Struct) string {
	for _, key := range FieldOrder(input.GetFields()) {
		if text := input.GetFields()[key].GetStringValue(); text != "" {
			return text
		}
	}
	return ""
}
