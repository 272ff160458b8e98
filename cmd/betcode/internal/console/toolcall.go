package console

import (
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"betcode/messages/toolcall"
)

// ToolCall describes a tool call on one line of at most so many bytes; 0 is no bound. line is the daemon's description.
// It is used if it begins with the text made from the input, because older daemons send the agent's own description,
// which may hide the effect of the call.
func ToolCall(tool string, input *structpb.Struct, line string, most int) string {
	fields := input.AsMap()
	switch tool {
	case "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "AskUserQuestion": // these run nothing
	default:
		own := toolcall.Line(tool, fields, "")
		if first := own[:min(len(own), 40)]; len(fields) > 0 && !strings.HasPrefix(line, first) {
			line = toolcall.Line(tool, fields, line)
		}
	}
	if line = Line(line); most > 0 {
		line = toolcall.Cut(line, most)
	}
	return line
}
