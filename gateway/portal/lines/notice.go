package lines

import (
	"encoding/json"

	pb "betcode/proto/betcode/v1"
)

// shown lists the notices that become lines: texts of a proxy, and reasons why a prompt or an answer has
// no effect, or not yet. The other notices are about the agent's process and its settings.
var shown = map[string]bool{
	"PROXY_MESSAGE":         true,
	"INPUT_LOST":            true,
	"INPUT_DROPPED":         true,
	"PERMISSION_SUPERSEDED": true,
	"INTERRUPT_EXPIRED":     true,
	"BUDGET_REFUSED":        true,
	"DAY_BUDGET_USED":       true,
	"TURN_WAITS":            true,
	"MODEL_REFUSAL":         true,
	"COMPACTED":             true,
}

// failed returns a line about an error. kind is its type in the API.
func failed(kind, text string) errorLine { return errorLine{"error", text, apiError{kind, text}} }

// raw converts a line that the daemon does not know: an error of the API, which proxies forward.
func (w *Writer) raw(r *pb.RawLine) {
	var line errorLine
	if r.GetType() != "error" || json.Unmarshal(r.GetLine(), &line) != nil || line.Error.Type == "" || line.Error.Message == "" {
		return
	}
	w.put("error", func(lineHead) any { return failed(line.Error.Type, line.Error.Message) })
}
