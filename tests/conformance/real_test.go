package conformance

import (
	"os"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/claudecli"
	"betcode/tests/kit"
	"betcode/tests/model"
)

// realStories run with the real Claude Code, pinned, and a scripted model.
var realStories = []story{
	{name: "the real agent", setup: realAgent, run: theRealAgent},
}

// cached is a conversation whose context is in the cache, with a list of tasks.
const cached = `{"about": "cached: an answer from the cache", "include": ["tasks", "tool", "text"], "rules": [
	{"name": "cached", "when": {"prompt": "^cached"}, "reply": [
		{"text": "From the cache."},
		{"usage": {"cache_read_input_tokens": 1000, "cache_creation_input_tokens": 200}}]}]}`

// realAgent puts the real agent into a world, with its model.
func realAgent(t *testing.T, w *kit.World) error {
	path, err := claudecli.Ensure(t.Context(), os.Stderr)
	if err != nil {
		return err
	}
	script, err := model.Parse([]byte(cached))
	if err != nil {
		return err
	}
	server, err := model.New(script)
	if err != nil {
		return err
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	w.Agent = path
	w.Extra = append(w.Extra, "ANTHROPIC_BASE_URL="+server.URL, "ANTHROPIC_API_KEY=dummy",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "IS_SANDBOX=1", "SHELL=/bin/bash")
	return nil
}

// theRealAgent shows behaviour for which a stand-in is no evidence.
func theRealAgent(s *stage) {
	c := s.converse("a", &pb.StartConversation{})
	next := s.turn(c, 0, "cached, please")
	usage, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetUsage() != nil })
	if u := usage.GetUsage(); u.GetCacheReadTokens() != 1000 || u.GetCacheCreationTokens() != 200 || u.GetInputTokens() == 0 {
		s.Errorf("it cost %v", u)
	}
	s.say(c, "tool please")
	asked, next := s.wait(c, next, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE)
	_, next = s.wait(c, next, isResult("hi"))
	_, next = s.wait(c, next, kit.IsIdle)
	s.turn(c, next, "tasks, please")
	s.wait(c, next, func(e kit.Event) bool {
		for _, item := range e.GetTodoUpdate().GetItems() {
			if item.GetSubject() == "Run the tests" && item.GetDescription() == "Run all tests" && item.GetStatus() == pb.TodoStatus_COMPLETED {
				return true
			}
		}
		return false
	})
}
