package claude

import (
	"encoding/json"
	"strings"
)

// toolMeta is the agent's report beside a tool result: who decided the call, or
// why it did not run.
type toolMeta struct {
	ID           string `json:"id"`
	NotRun       string `json:"non_execution_kind"`
	Verdict      string // "accept" or "reject"
	VerdictOwner string // "config", "hook", "user_temporary", …
}

// toolMetas is a list of toolMeta. A list of another shape counts as empty, and the line
// is translated all the same.
type toolMetas []toolMeta

// UnmarshalJSON never fails.
func (m *toolMetas) UnmarshalJSON(b []byte) error {
	var all []struct {
		ID       string `json:"id"`
		NotRun   loose  `json:"non_execution_kind"`
		Decision struct {
			Decision loose `json:"decision"`
			Source   loose `json:"source"`
		} `json:"permission_decision"`
	}
	_ = json.Unmarshal(b, &all) // a value of another shape contains no verdict
	for _, a := range all {
		*m = append(*m, toolMeta{ID: a.ID, NotRun: string(a.NotRun), Verdict: string(a.Decision.Decision), VerdictOwner: string(a.Decision.Source)})
	}
	return nil
}

// verdict returns who decided a call, as far as this line reports it. Sources that begin
// with "user" stand for answers to a permission request; the agent's own rules are
// "config", its hooks "hook".
func (t *translation) verdict(call string) Verdict {
	for _, m := range t.l.ToolMeta {
		switch {
		case m.ID != call:
		case m.Verdict == "accept" && m.NotRun == "" && strings.HasPrefix(m.VerdictOwner, "user"):
			return VerdictHost
		default:
			return VerdictOther
		}
	}
	return VerdictUnknown
}
