package session

import (
	"testing"

	"betcode/actors/internal/claude"
)

// What the agent says of itself is kept when it changes, and then it is asked for the
// rest, unless it is being asked.
func TestReported(t *testing.T) {
	b := turning(t)
	says := claude.TurnStarted{Version: "2.1.0", Tools: []string{"Bash"}, Servers: []claude.McpServer{{Name: "x", Status: "pending"}}}
	b.on(b.out(says), "keep the report of 1 tools, 1 servers", "run 1: control initialize", "in 2s session.inquirySlow")
	b.on(b.out(says)) // nothing new
	says.Servers = []claude.McpServer{{Name: "x", Status: "connected"}}
	b.on(b.out(says), "keep the report of 1 tools, 1 servers")
	b.on(b.out(claude.ControlAnswered{Request: b.state.inquiry.request, OK: true, Response: []byte(`{"models":[{"value":"opus"}]}`)}), "remember 0 commands")
	b.on(b.out(claude.TurnStarted{}))
}
