package render

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
)

func TestReadable(t *testing.T) {
	const note = "<system-reminder>\nWhenever you read a file …\n</system-reminder>"
	const fold = "(a note for the model is folded: 28 bytes)"
	for name, c := range map[string]struct{ output, want string }{
		"plain":                        {"a\n  b\n", "a\n  b\n"},
		"nothing":                      {"", ""},
		"an error":                     {"<tool_use_error>File has not been read yet.</tool_use_error>", "File has not been read yet."},
		"tags of an error within":      {"see <tool_use_error>x</tool_use_error>", "see <tool_use_error>x</tool_use_error>"},
		"an error that is not closed":  {"<tool_use_error>x", "<tool_use_error>x"},
		"two errors":                   {"<tool_use_error>x</tool_use_error> <tool_use_error>y</tool_use_error>", "<tool_use_error>x</tool_use_error> <tool_use_error>y</tool_use_error>"},
		"a written file":               {"File created at: /x (file state is current in your context — no need to Read it back)", "File created at: /x"},
		"the remark within":            {"grep: (file state is current in your context — no need to Read it back) x", "grep: (file state is current in your context — no need to Read it back) x"},
		"a reminder behind":            {"  1 package x\n\n" + note + "\n", "  1 package x\n" + fold},
		"a reminder before":            {note + "\n  1 package x", fold + "\n  1 package x"},
		"both":                         {note + "\nx\n" + note, fold + "\nx\n" + fold},
		"the whole output":             {"<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>", "Warning: the file exists but the contents are empty."},
		"in the middle":                {"a\n" + note + "\nb", "a\n" + note + "\nb"},
		"at the end of a line":         {"a " + note, "a " + note},
		"a reminder that is not ended": {"a\n<system-reminder>\nb", "a\n<system-reminder>\nb"},
		"only an end":                  {"a\n</system-reminder>", "a\n</system-reminder>"},
		"a written file and a note":    {"done (file state is current in your context — no need to Read it back)\n\n" + note, "done\n" + fold},
	} {
		if got := Readable(c.output); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Events line by line fold what is for the model; with verbose everything is shown.
func TestResultForPeople(t *testing.T) {
	e := &pb.AgentEvent{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{IsError: true, Output: "<tool_use_error>File has not been read yet.</tool_use_error>"}}}
	for verbose, want := range map[bool]string{false: "    File has not been read yet.\n", true: "    <tool_use_error>File has not been read yet.</tool_use_error>\n"} {
		var out strings.Builder
		if NewRenderer(&out, false, verbose).Event(e); out.String() != want {
			t.Errorf("verbose %v: %q", verbose, out.String())
		}
	}
}
