package translate

import (
	"encoding/json"
	"fmt"

	"betcode/messages"
	"betcode/messages/toolcall"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

// NoteAsks adds the undecided requests of a session to its summary. pending are the requests
// of all sessions, oldest first.
func NoteAsks(out *pb.SessionSummary, pending []messages.PermissionRecord) {
	for _, p := range pending {
		if string(p.Session) != out.GetId() {
			continue
		}
		if out.Undecided++; out.Undecided == 1 {
			out.Asks = AskLine(p)
		}
	}
}

// AskLine returns a request as one line of visible text.
func AskLine(p messages.PermissionRecord) string {
	if p.Mode != "" { // the daemon itself asks
		return toolcall.Cut(visible.Line(p.Description), toolcall.MaxLine)
	}
	if questions := questionsOut(p); len(questions) > 0 {
		line := fmt.Sprintf("the agent asks: %q", toolcall.Cut(visible.Line(questions[0].GetQuestion()), toolcall.MaxWords))
		if more := len(questions) - 1; more > 0 {
			line += fmt.Sprintf(" (and %d more)", more)
		}
		return line
	}
	var input map[string]any
	if err := json.Unmarshal(p.Input, &input); err != nil {
		input = nil // the line then has only the tool's name
	}
	return toolcall.Line(p.Tool, input, toolcall.Words(input))
}
