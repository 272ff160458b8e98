package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestReadyScripts(t *testing.T) {
	for _, name := range Names() {
		if _, err := Ready(name); err != nil {
			t.Error(err)
		}
	}
	s, err := Ready("default")
	if err != nil || len(s.Rules) < 20 {
		t.Errorf("default script has %d rules, %v", len(s.Rules), err)
	}
	if _, err := Ready("nonsense"); err == nil || !strings.Contains(err.Error(), "question") {
		t.Errorf("error %v does not name what there is", err)
	}
}

func TestParseRefuses(t *testing.T) {
	for script, want := range map[string]string{
		`{"rules":[{"reply":[]}]}`:                                              "no reply",
		`{"rules":[{"reply":[{}]}]}`:                                            "0 kinds",
		`{"rules":[{"reply":[{"text":"x","words":3}]}]}`:                        "2 kinds",
		`{"rules":[{"reply":[{"text":"x"},{"error":500}]}]}`:                    "after the answer",
		`{"rules":[{"when":{"prompt":"("},"reply":[{"text":"x"}]}]}`:            "missing closing",
		`{"rules":[{"reply":[{"text":"x","delay":"soon"}]}]}`:                   "duration",
		`{"rules":[{"reply":[{"txt":"x"}]}]}`:                                   "unknown field",
		`{"include":["nonsense"],"rules":[{"reply":[{"text":"x"}]}]}`:           "no script",
		`{"rules":[{"name":"the third","when":{},"reply":[{"text":"x"},{}]} ]}`: "the third",
	} {
		if _, err := Parse([]byte(script)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", script, err, want)
		}
	}
}

// serve starts a server with a script.
func serve(t *testing.T, script string) *Server {
	t.Helper()
	parsed, err := Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(parsed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ask sends messages, "user: text" or "assistant: text", and returns the answer.
func ask(t *testing.T, s *Server, stream bool, messages ...string) (status int, body string, err error) {
	t.Helper()
	var list []object
	for _, m := range messages {
		role, text, _ := strings.Cut(m, ": ")
		list = append(list, object{"role": role, "content": text})
	}
	b, err := json.Marshal(object{"model": "m", "stream": stream, "messages": list, "tools": []object{{"name": "Bash"}}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/messages?beta=true", strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Claude-Code-Session-Id", "the session")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(all), err
}

func TestWholeAnswer(t *testing.T) {
	s := serve(t, `{"rules":[{"when":{"prompt":"^greet (\\w+)"},"reply":[
		{"thinking":"hm"},{"text":"Hello ${1} $HOME"},{"tool":"Bash","input":{"command":"echo \"${prompt}\""}},{"usage":{"output_tokens":99}}]}]}`)
	_, body, err := ask(t, s, false, "user: greet \"world\\")
	if err != nil || !strings.Contains(body, "no answer") {
		t.Errorf("an unexpected prompt: %s, %v", body, err)
	}
	_, body, err = ask(t, s, false, `user: greet world "x"`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"Hello world $HOME"`, `"command":"echo \"greet world \"x\"\""`, `"stop_reason":"tool_use"`, `"output_tokens":99`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s lacks %s", body, want)
		}
	}
}

func TestStreamedAnswer(t *testing.T) {
	s := serve(t, `{"rules":[{"reply":[{"text":"one two"},{"tool":"Bash","input":{"command":"x"},"chunk":4}]}]}`)
	_, body, err := ask(t, s, true, "user: anything")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for line := range strings.Lines(body) {
		if kind, ok := strings.CutPrefix(line, "event: "); ok {
			kinds = append(kinds, strings.TrimSpace(kind))
		}
	}
	want := "message_start content_block_start content_block_delta content_block_delta content_block_stop" +
		" content_block_start content_block_delta content_block_delta content_block_delta content_block_delta content_block_stop" +
		" message_delta message_stop"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("events:\n got %s\nwant %s", got, want)
	}
}

func TestRulesFollowTheConversation(t *testing.T) {
	s := serve(t, `{"rules":[
		{"name":"first","when":{"prompt":"^go"},"reply":[{"text":"1"}]},
		{"name":"second","when":{"prompt":"^go","after":1},"reply":[{"text":"2"}]},
		{"name":"faulty","when":{"prompt":"^fault"},"times":1,"reply":[{"error":529,"retry_after":"7"}]},
		{"name":"mended","when":{"prompt":"^fault"},"reply":[{"text":"3"}]}]}`)
	for i, c := range []struct {
		messages []string
		rule     string
		status   int
	}{
		{[]string{"user: go"}, "first", 200},
		{[]string{"user: go", "assistant: 1"}, "second", 200},
		{[]string{"user: go", "assistant: 1", "user: go on"}, "first", 200},
		{[]string{"user: go", "assistant: 1", "user: <system-reminder>x</system-reminder>"}, "second", 200},
		{[]string{"user: go", "assistant: 1", "user: Continue from where you left off."}, "second", 200},
		{[]string{"user: other"}, "", 200},
		{[]string{"user: fault"}, "faulty", 529},
		{[]string{"user: fault"}, "mended", 200},
		{[]string{"user: fault", "user: Your task is to create a detailed summary of"}, "own purpose", 200},
	} {
		status, _, err := ask(t, s, false, c.messages...)
		if err != nil {
			t.Fatal(err)
		}
		r := s.Requests()[i]
		if status != c.status || r.Rule != c.rule || r.Session != "the session" || r.Number != i+1 {
			t.Errorf("%v: status %d, rule %q; want %d, %q", c.messages, status, r.Rule, c.status, c.rule)
		}
	}
	if last, ok := s.Latest("the session"); !ok || last.Rule != "mended" {
		t.Errorf("latest is %+v", last)
	}
}

func TestConversation(t *testing.T) {
	var r apiRequest
	err := json.Unmarshal([]byte(`{"system":[{"type":"text","text":"x"}],"messages":[
		{"role":"user","content":[{"type":"text","text":"<system-reminder>\nnothing\n</system-reminder>"},{"type":"text","text":"do it"}]},
		{"role":"system","content":"# Environment\n - Primary working directory: /home/dev/project\n - Platform: linux"},
		{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"hi"}]}]},
		{"role":"system","content":"The user sent a new message while you were working:\nalso\nthat\n\nThis is how Claude Code surfaces messages"},
		{"role":"assistant","content":"ok"},
		{"role":"user","content":"[Request interrupted by user]"},
		{"role":"user","content":"write /home/dev/.claude/plans/a-plan.md"},
		{"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Write","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"written"}]}]}`), &r)
	if err != nil {
		t.Fatal(err)
	}
	c := conversationOf(r)
	want := Conversation{
		Prompts: []string{"do it", "also\nthat", "write /home/dev/.claude/plans/a-plan.md"},
		Replies: 1, Tool: "Write", Result: "written", Cwd: "/home/dev/project", PlanFile: "/home/dev/.claude/plans/a-plan.md",
	}
	if fmt.Sprintf("%+v", c) != fmt.Sprintf("%+v", want) {
		t.Errorf("conversation:\n got %+v\nwant %+v", c, want)
	}
	if c.Count("that") != 1 || c.Count("do") != 1 || c.Count("absent") != 0 {
		t.Error("wrong counts")
	}
}

func TestHoldUntilReleased(t *testing.T) {
	s := serve(t, `{"rules":[{"reply":[{"text":"before"},{"hold":"gate"},{"text":"after"}]}]}`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan string, 2)
	get := func() {
		_, body, err := ask(t, s, true, "user: x")
		done <- fmt.Sprint(strings.Count(body, "after"), err)
	}
	go get()
	if err := s.Held(ctx, "gate"); err != nil {
		t.Fatal(err)
	}
	select {
	case body := <-done:
		t.Fatalf("did not hold: %s", body)
	default:
	}
	s.Release("gate")
	s.Release("gate")
	if got := <-done; got != "1 <nil>" {
		t.Error(got)
	}
	go get()
	if got := <-done; got != "1 <nil>" {
		t.Error("the gate closed again")
	}
}

func TestCloseCutsWhoHolds(t *testing.T) {
	script, err := Parse([]byte(`{"rules":[{"reply":[{"hold":"for ever"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(script)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, _, err := ask(t, s, true, "user: x"); done <- err }()
	if err := s.Held(t.Context(), "for ever"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("the reply ended well")
	}
	if _, err := s.Wait(t.Context(), func(r Request) bool { return r.Number == 2 }); err == nil {
		t.Error("Wait outlives the server")
	}
}

func TestCutAndStreamError(t *testing.T) {
	s := serve(t, `{"rules":[{"when":{"prompt":"cut"},"reply":[{"text":"half"},{"cut":true}]},
		{"when":{"prompt":"error"},"reply":[{"text":"half"},{"stream_error":"overloaded_error"}]}]}`)
	if _, body, err := ask(t, s, true, "user: cut"); err == nil || !strings.Contains(body, "half") {
		t.Errorf("%s, %v", body, err)
	}
	if _, body, err := ask(t, s, true, "user: error"); err != nil || !strings.Contains(body, "event: error") {
		t.Errorf("%s, %v", body, err)
	}
}

func TestOtherPaths(t *testing.T) {
	s := serve(t, `{"rules":[{"reply":[{"text":"x"}]}]}`)
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{http.MethodHead, "/", 200},
		{http.MethodGet, "/", 200},
		{http.MethodPost, "/v1/messages/count_tokens?beta=true", 200},
		{http.MethodGet, "/elsewhere", 404},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, s.URL+c.path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != c.status {
			t.Errorf("%s %s: %d, %v; want %d", c.method, c.path, resp.StatusCode, err, c.status)
		}
	}
}
