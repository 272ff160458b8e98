package socket

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	one := uint64(1)
	for line, want := range map[string]any{
		`{"type":"start_session","sessionId":"s","cwd":"/p","prompt":"x","allowedTools":["A"],"unknown":{}}`:                   startSession{cwd: "/p", prompt: "x", tools: []string{"A"}},
		`{"type":"start_session","sessionId":"s","Cwd":"/p","PROMPT":"x"}`:                                                     startSession{},
		`{"type":"send_prompt","sessionId":"s","prompt":"a\u2028b"}`:                                                           sendPrompt{"a\u2028b"},
		`{"type":"send_prompt","sessionId":"s"}`:                                                                               sendPrompt{},
		`{"type":"resume_session","sessionId":"s","claudeSessionId":"c","prompt":"x","cwd":"/p"}`:                              resumeSession{"c", "x", "/p"},
		`{"type":"permission_response","sessionId":"s","requestId":"req_1","behavior":"allow","updatedInput":{"a":1}}`:         permissionResponse{request: "req_1", allow: true, input: map[string]any{"a": 1.0}},
		`{"type":"permission_response","sessionId":"s","requestId":"req_1","behavior":true,"message":"m","updatedInput":null}`: permissionResponse{request: "req_1", message: "m"},
		`{"type":"permission_response","sessionId":"s","requestId":"req_1","Behavior":"allow"}`:                                permissionResponse{request: "req_1"},
		`{"type":"question_response","sessionId":"s","requestId":"req_1","answers":{"q":"a"}}`:                                 questionResponse{"req_1", map[string]string{"q": "a"}},
		`{"type":"interrupt","sessionId":"s"}`:                                                                                 interrupt{},
		`{"type":"close_session","sessionId":"s"}`:                                                                             closeSession{},
		`{"type":"attach_session","sessionId":"s","fromSequence":1,"cursors":true,"watch":true}`:                               attachSession{from: &one, cursors: true, watch: true},
		`{"type":"list","sessionId":"s"}`:                                                                                      nil,
	} {
		id, got, err := decode([]byte(line))
		if err != nil || id != `"s"` || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nis %s %#v %v", line, id, got, err)
		}
	}
}

// FuzzDecode: any line gives a request or an error, never both, and an id that is JSON.
func FuzzDecode(f *testing.F) {
	for kind := range requests {
		f.Add(`{"type":"` + kind + `","sessionId":"s","prompt":"x","requestId":"req_1","behavior":"allow","updatedInput":{"a":[1,null]},"answers":{}}`)
	}
	f.Add(`{"type":"interrupt","sessionId":1e999}`)
	f.Add(`{"sessionId":"\ud800","type":"close_session"}`)
	f.Add(strings.Repeat(`[`, 20000))
	f.Fuzz(func(t *testing.T, line string) {
		id, request, err := decode([]byte(line))
		if err != nil && request != nil {
			t.Errorf("both %#v and %v", request, err)
		}
		if !json.Valid([]byte(id)) {
			t.Errorf("the id %q is not JSON", id)
		}
		if line := encode(nil, failure(id, "x")); !json.Valid(line) || strings.Count(string(line), "\n") != 1 {
			t.Errorf("the answer %q is not a line", line)
		}
		if m, ok := request.(permissionResponse); ok {
			p := prompt{request: "r", question: m.allow}
			_, _ = p.decide(m)
		}
	})
}
