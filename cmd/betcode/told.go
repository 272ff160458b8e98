package main

import (
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"betcode/messages/toolcall"
)

// told says in a line what a tool call does, at most so many bytes of it; 0 is as many
// as there are. The daemon's own line is taken if it begins with what the input says;
// one of an older daemon may be the agent's words alone.
func told(tool string, input *structpb.Struct, line string, most int) string {
	fields := input.AsMap()
	switch tool {
	case "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "AskUserQuestion": // these run nothing
	default:
		own := toolcall.Line(tool, fields, "")
		if first := own[:min(len(own), 40)]; len(fields) > 0 && !strings.HasPrefix(line, first) {
			line = toolcall.Line(tool, fields, line)
		}
	}
	if line = printableLine(line); most > 0 {
		line = toolcall.Cut(line, most)
	}
	return line
}
