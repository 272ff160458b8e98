package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
	"betcode/tests/model"
)

// TestRealFleetServer: the real agent gets the tools of the fleet server, a person is asked about a call, and the server goes on
// when the daemon is killed.
func TestRealFleetServer(t *testing.T) {
	t.Parallel()
	script, err := model.Parse([]byte(`{"rules": [
		{"when": {"prompt": "^list$"}, "reply": [{"tool": "mcp__betcode__list_subagents", "input": {}}]},
		{"when": {"after": -1}, "reply": [{"text": "It said: ${result}"}]}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	w, _ := scriptedWorld(t, binaries.betcode, script)
	if err := os.WriteFile(filepath.Join(w.ConfigDir(), "settings.json"), []byte(`{"feature_flags": {"subagent_orchestration": true}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := storyIn(t, w)
	id := session()
	start := &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, Options: &pb.AgentOptions{Fleet: true}}
	c := s.converseWith("a", start)
	s.say(c, "list")
	asked, next := s.wait(c, 0, kit.IsPermission)
	if tool := asked.GetPermissionRequest().GetToolName(); tool != "mcp__betcode__list_subagents" {
		t.Errorf("a person is asked about %q", tool)
	}
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	result, next := s.wait(c, next, func(e kit.Event) bool { return e.GetToolCallResult() != nil })
	if got := result.GetToolCallResult().GetOutput(); got != `{"subagents":[]}` {
		t.Errorf("the tool answers %s", got)
	}
	s.wait(c, next, kit.IsIdle)
	s.killDaemon()
	c = s.converseFromNow("a", id)
	s.say(c, "list")
	asked, next = s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	result, _ = s.wait(c, next, func(e kit.Event) bool { return e.GetToolCallResult() != nil })
	if got := result.GetToolCallResult().GetOutput(); got != `{"subagents":[]}` {
		t.Errorf("after the death of the daemon the tool answers %s", got)
	}
}

// TestRealAgentSpawns: the real agent starts three subagents through MCP, the daemon is killed while it waits for them, and it
// gets their results. Each prompt is seen once.
func TestRealAgentSpawns(t *testing.T) {
	t.Parallel()
	script, err := model.Parse([]byte(`{"rules": [
		{"when": {"prompt": "^direct$", "after": 0}, "reply": [{"tool": "mcp__betcode__spawn_subagent", "input": {"prompt": "piece one", "name": "one"}}]},
		{"when": {"prompt": "^direct$", "after": 1}, "reply": [{"tool": "mcp__betcode__spawn_subagent", "input": {"prompt": "piece two", "name": "two"}}]},
		{"when": {"prompt": "^direct$", "after": 2}, "reply": [{"tool": "mcp__betcode__spawn_subagent", "input": {"prompt": "piece three", "name": "three"}}]},
		{"when": {"prompt": "^direct$", "after": 3}, "reply": [{"tool": "mcp__betcode__list_subagents", "input": {}}]},
		{"when": {"prompt": "^direct$", "after": 4}, "reply": [{"text": "Known: ${result}"}]},
		{"when": {"prompt": "^wait (\\S+) (\\S+) (\\S+)$", "after": 0},
		 "reply": [{"tool": "mcp__betcode__wait_for_subagent", "input": {"subagent_ids": ["${1}", "${2}", "${3}"], "timeout_seconds": 240}}]},
		{"when": {"prompt": "^wait ", "after": 1}, "reply": [{"text": "Results: ${result}"}]},
		{"when": {"prompt": "^piece (\\w+)$"}, "reply": [{"hold": "pieces"}, {"text": "result of ${1}"}]}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	w, server := scriptedWorld(t, binaries.betcode, script)
	settings := `{"feature_flags": {"subagent_orchestration": true}, "permissions": {"allow": ["mcp__betcode__*"]}}`
	if err := os.WriteFile(filepath.Join(w.ConfigDir(), "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	s := storyIn(t, w)
	id := session()
	c := s.converseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, Options: &pb.AgentOptions{Fleet: true}})
	s.say(c, "direct")
	_, next := s.wait(c, 0, kit.IsTurnComplete)
	ids := regexp.MustCompile(`"subagent_id":"([0-9a-f-]{36})"`).FindAllStringSubmatch(kit.Text(c.Events()[:next]), -1)
	if len(ids) != 3 {
		t.Fatalf("the agent has %d subagents: %s", len(ids), kit.Text(c.Events()[:next]))
	}
	s.say(c, "wait "+ids[0][1]+" "+ids[1][1]+" "+ids[2][1])
	s.wait(c, next, func(e kit.Event) bool { return e.GetToolCallStart() != nil })
	s.eventually("all subagents ask the model", func() bool {
		seen := 0
		for _, piece := range []string{"piece one", "piece two", "piece three"} {
			if slices.ContainsFunc(server.Requests(), func(r model.Request) bool { return r.Conversation.Count(piece) > 0 }) {
				seen++
			}
		}
		return seen == 3
	})
	s.killDaemon()
	server.Release("pieces")
	c = s.converse("a", id)
	_, next = s.wait(c, 0, func(e kit.Event) bool {
		return e.GetToolCallResult() != nil && strings.Contains(e.GetToolCallResult().GetOutput(), "result of one")
	})
	s.wait(c, next, kit.IsTurnComplete)
	text := kit.Text(c.Events())
	for _, piece := range []string{"one", "two", "three"} {
		if !strings.Contains(text, "result of "+piece) {
			t.Errorf("the agent has no result of %s: %s", piece, text)
		}
		once(t, server, "piece "+piece)
	}
}
