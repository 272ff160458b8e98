package e2e

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// Clients and the audit log get the agent's description of a request: the asking subagent, the
// display name of the tool, the reason, and the path that caused it.
func TestRealReasonsOfARequest(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	id := session()
	c := s.converse("a", id)
	at := 0
	ask := func(prompt string, has func(kit.Event) bool) {
		t.Helper()
		s.say(c, prompt)
		for over := false; !over; {
			var e kit.Event
			e, at = s.wait(c, at, func(e kit.Event) bool { return kit.IsPermission(e) || kit.IsTurnComplete(e) })
			if over = kit.IsTurnComplete(e); over {
				break
			}
			if !has(e) {
				t.Errorf("%s: %v", prompt, e)
			}
			s.answer(c, e, pb.PermissionDecision_ALLOW_ONCE, "")
		}
	}
	var parent string
	ask("helper please", func(e kit.Event) bool {
		parent = e.GetParentToolUseId()
		p := e.GetPermissionRequest()
		return parent != "" && p.GetAgentId() != "" && p.GetDisplayName() != ""
	})
	ask("reads please", func(e kit.Event) bool {
		p := e.GetPermissionRequest()
		return p.GetDecisionReason() != "" && p.GetDecisionReasonType() == "workingDir" && e.GetParentToolUseId() == ""
	})
	ask("run: cp made-nowhere /etc/made-nowhere", func(e kit.Event) bool {
		return strings.HasPrefix(e.GetPermissionRequest().GetBlockedPath(), "/etc")
	})
	s.eventually("the audit log has what the agent said", func() bool {
		entries := s.cli(0, "audit", "--session", id, "--type", "permission_grant", "--json")
		for _, part := range []string{`"parent_tool_use_id":"` + parent, `"display_name":"`, `"decision_reason_type":"`, `"blocked_path":"/etc`} {
			if !strings.Contains(entries, part) {
				return false
			}
		}
		return true
	})
}
