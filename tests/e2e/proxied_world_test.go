package e2e

import (
	"encoding/json"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// Lines of an agent as a proxy of the first generation forwards them: members sorted, and most of them dropped.

func proxiedInit() string {
	return `{"cwd":"/on/another/machine","model":"opus","session_id":"6f1c2a34-0000-4000-8000-000000000001","subtype":"init","tools":["Bash"],"type":"system"}`
}

func proxiedEcho(text string) string {
	return `{"message":{"content":[{"text":` + quoted(text) + `,"type":"text"}],"role":"user"},"session_id":"6f1c2a34-0000-4000-8000-000000000001","type":"user"}`
}

func proxiedText(message, text string) string {
	return `{"message":{"content":[{"text":` + quoted(text) + `,"type":"text"}],"id":` + quoted(message) + `,"model":"opus","role":"assistant","type":"message"},"session_id":"6f1c2a34-0000-4000-8000-000000000001","type":"assistant"}`
}

func proxiedResult() string {
	return `{"duration_ms":12,"is_error":false,"num_turns":1,"result":"done","session_id":"6f1c2a34-0000-4000-8000-000000000001","subtype":"success","total_cost_usd":0.01,"type":"result","usage":{"input_tokens":3,"output_tokens":5}}`
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can be encoded
	}
	return string(b)
}

// register connects a proxy.
func (s *story) register(p *kit.ScriptedProxy) *kit.ProxyCall {
	s.Helper()
	call, err := p.Connect(s.Context(), s.daemon)
	if err != nil {
		s.Fatal(err)
	}
	return call
}

// acknowledged waits until the daemon has acknowledged every line of a proxy.
func (s *story) acknowledged(p *kit.ScriptedProxy) {
	s.Helper()
	for deadline := time.Now().Add(patience); p.Pending() > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("%d lines were not acknowledged", p.Pending())
		}
	}
}

// awaitInput waits for an input of the proxy and returns it.
func (s *story) awaitInput(c *kit.ProxyCall, text string) *pb.ProxyInput {
	s.Helper()
	e, err := c.Wait(func(e *pb.ProxyEvent) bool { return e.GetInput().GetContent() == text })
	if err != nil {
		s.Fatal(err)
	}
	return e.GetInput()
}
