package e2e

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A client in another language, written from the document, gets along.
func TestGatewayPythonClient(t *testing.T) {
	t.Parallel()
	g := newGateway(t, newStory(t, binaries.fake))
	g.play("run:touch made.txt")
	if !g.exists("made.txt") {
		t.Error("the allowed command did not run")
	}
}

// play runs the client in Python.
func (g *gateway) play(prompt string) {
	g.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		g.Skip("there is no python3")
	}
	out, err := exec.Command(python, "testdata/agent_client.py", g.Path, g.world.Project, prompt).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "ok" {
		g.Fatalf("the client: %v\n%s", err, out)
	}
}

// The real Claude Code behind the gateway: a permission, a question, an interrupt.
func TestGatewayRealAgent(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	g := newGateway(t, s)
	a := g.dial()
	g.begin(a, "s1", "run: touch made.txt && echo made")
	asked := a.wait("permission_request")
	if asked.Text("requestId") != "req_1" || asked.Text("toolName") != "Bash" || asked.Of["suggestions"] == nil {
		t.Errorf("request %s", asked.Raw)
	}
	a.send(object{"type": "permission_response", "sessionId": "s1", "requestId": "req_1", "behavior": "allow"})
	if result := a.wait("tool_result"); !strings.Contains(result.Text("output"), "made") {
		t.Errorf("result %s", result.Raw)
	}
	a.wait("session_status idle")
	if !slices.Equal(a.Types()[:3], []string{"started", "processing", "system"}) {
		t.Errorf("lines %v", a.Types())
	}
	a.send(object{"type": "send_prompt", "sessionId": "s1", "prompt": "ask me"})
	question := a.wait("question")
	answers := map[string]string{}
	for _, q := range question.Of["questions"].([]any) {
		one := q.(map[string]any)
		answers[one["question"].(string)] = one["options"].([]any)[0].(map[string]any)["label"].(string)
	}
	a.send(object{"type": "question_response", "sessionId": "s1", "requestId": question.Text("requestId"), "answers": answers})
	a.wait("result")
	a.wait("session_status idle")
	a.send(object{"type": "send_prompt", "sessionId": "s1", "prompt": "slow story"})
	a.wait("stream_delta")
	a.send(object{"type": "interrupt", "sessionId": "s1"})
	if result := a.wait("result"); result.Text("subtype") != "error_during_execution" {
		t.Errorf("result %s", result.Raw)
	}
	a.wait("session_status idle")
	a.send(object{"type": "close_session", "sessionId": "s1"})
	a.wait("session_status closed")
	if left := whole(a.Lines); left[len(left)-1] != "closed" {
		t.Errorf("lines behind closed: %q", left)
	}
}
