package e2e

import (
	"slices"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// gateway is a story with clients of the agent socket.
type gateway struct {
	*story
	*kit.Gateway
}

func newGateway(t *testing.T, s *story, arguments ...string) *gateway {
	t.Helper()
	g := &gateway{s, nil}
	g.run(arguments...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the gateway's log:\n%s", g.Log())
		}
		g.Kill()
	})
	return g
}

func (g *gateway) run(arguments ...string) {
	g.Helper()
	started, err := g.world.Gateway(arguments...)
	if err != nil {
		g.Fatal(err)
	}
	g.Gateway = started
}

func (g *gateway) dial() *agent {
	g.Helper()
	a, err := g.Dial()
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() { a.Conn.Close() })
	return &agent{g.T, a}
}

// agent is one client. Errors end the test.
type agent struct {
	*testing.T
	*kit.Agent
}

type object map[string]any

func (a *agent) send(line any) {
	a.Helper()
	if err := a.Send(line); err != nil {
		a.Fatal(err)
	}
}

func (a *agent) wait(kind string) kit.AgentLine {
	a.Helper()
	l, err := a.Wait(kind)
	if err != nil {
		a.Fatal(err)
	}
	return l
}

func (g *gateway) begin(a *agent, id, prompt string) {
	a.Helper()
	a.send(object{"type": "start_session", "sessionId": id, "cwd": g.world.Project, "prompt": prompt})
}

func TestGatewayTurn(t *testing.T) {
	t.Parallel()
	g := newGateway(t, newStory(t, binaries.fake))
	a := g.dial()
	g.begin(a, "s1", "echo:hello there")
	a.wait("session_status idle")
	want := []string{"started", "processing", "system", "stream_delta", "assistant_text", "stream_delta", "result", "idle"}
	if got := a.Types(); !slices.Equal(got, want) {
		t.Errorf("lines %v", got)
	}
	a.send(object{"type": "send_prompt", "sessionId": "s1", "prompt": "echo:again"})
	a.wait("session_status processing")
	a.wait("system")
	if text := a.wait("assistant_text").Text("text"); text != "again" {
		t.Errorf("text %q", text)
	}
	if result := a.wait("result"); !strings.HasPrefix(result.Raw, `{"sessionId":"s1","type":"result","subtype":"success","isError":false,"result":"again","totalCostUsd":`) {
		t.Errorf("result %s", result.Raw)
	}
	a.wait("session_status idle")
}

func TestGatewayPermission(t *testing.T) {
	t.Parallel()
	g := newGateway(t, newStory(t, binaries.fake))
	a := g.dial()
	g.begin(a, "s1", "run:touch made.txt && echo made")
	asked := a.wait("permission_request")
	if asked.Text("requestId") != "req_1" || asked.Text("toolName") != "Bash" || asked.Text("toolUseId") == "" {
		t.Errorf("request %s", asked.Raw)
	}
	a.send(object{"type": "permission_response", "sessionId": "s1", "requestId": "req_1", "behavior": "allow"})
	if result := a.wait("tool_result"); !strings.Contains(result.Text("output"), "made") || result.Text("toolUseId") != asked.Text("toolUseId") {
		t.Errorf("result %s", result.Raw)
	}
	a.wait("session_status idle")
	a.send(object{"type": "send_prompt", "sessionId": "s1", "prompt": "run:touch other.txt"})
	if second := a.wait("permission_request"); second.Text("requestId") != "req_2" {
		t.Errorf("request %s", second.Raw)
	}
	a.send(object{"type": "permission_response", "sessionId": "s1", "requestId": "req_2", "behavior": "deny"})
	if result := a.wait("tool_result"); result.Of["isError"] != true || !strings.Contains(result.Text("output"), "Denied by user") {
		t.Errorf("result %s", result.Raw)
	}
	a.wait("session_status idle")
	if g.exists("other.txt") {
		t.Error("a denied command ran")
	}
}

func TestGatewayQuestion(t *testing.T) {
	t.Parallel()
	g := newGateway(t, newStory(t, binaries.fake))
	a := g.dial()
	g.begin(a, "s1", "ask")
	asked := a.wait("question")
	questions, _ := asked.Of["questions"].([]any)
	if asked.Text("requestId") != "req_1" || len(questions) != 3 {
		t.Fatalf("question %s", asked.Raw)
	}
	answers := map[string]string{}
	for _, q := range questions {
		one := q.(map[string]any)
		if one["header"] == "" {
			t.Errorf("a question without its header: %v", one)
		}
		answers[one["question"].(string)] = one["options"].([]any)[0].(map[string]any)["label"].(string)
	}
	a.send(object{"type": "question_response", "sessionId": "s1", "requestId": "req_1", "answers": answers})
	for _, answer := range answers {
		if result := a.wait("tool_result"); !strings.Contains(result.Text("output"), answer) {
			t.Errorf("result %s", result.Raw)
		}
		break
	}
	a.wait("session_status idle")
}
