package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestToolAllowedReallyRuns(t *testing.T) {
	p := newPlace(t)
	a := p.start(t)
	a.user("run:touch made.txt && echo hi")
	q := a.request()
	r := q["request"].(map[string]any)
	if r["tool_name"] != "Bash" || r["tool_use_id"] == nil {
		t.Errorf("request = %v", r)
	}
	a.answer(q, obj{"behavior": "allow"})
	a.answer(q, obj{"behavior": "deny", "message": "too late"})
	if r := a.result(); r["result"] != "Done: hi" {
		t.Errorf("result = %v", r["result"])
	}
	if _, err := os.Stat(filepath.Join(p.cwd, "made.txt")); err != nil {
		t.Error(err)
	}
	a.eof()
	a.expect("queued started init status assistant control_request user status assistant result completed")
}

func TestToolDenied(t *testing.T) {
	p := newPlace(t)
	a := p.start(t)
	a.user("run:touch made.txt")
	a.answer(a.request(), obj{"behavior": "deny", "message": "Not now."})
	r := a.result()
	if r["is_error"] != false || len(r["permission_denials"].([]any)) != 1 || r["result"] != "Done: Not now." {
		t.Errorf("result = %v", r)
	}
	if _, err := os.Stat(filepath.Join(p.cwd, "made.txt")); err == nil {
		t.Error("the tool ran")
	}
}

func TestDenyWithInterruptEndsTheTurn(t *testing.T) {
	a := newPlace(t).start(t)
	a.user("run:true")
	a.answer(a.request(), obj{"behavior": "deny", "message": "lost", "interrupt": true})
	if r := a.result(); r["terminal_reason"] != "aborted_tools" || r["is_error"] != true {
		t.Errorf("result = %v", r)
	}
	if code := a.eof(); code != 1 {
		t.Errorf("exit code %d, want that of a last result with an error", code)
	}
}

func TestSeveralRequestsAnsweredInAnyOrder(t *testing.T) {
	a := newPlace(t).start(t)
	a.user("tools:3")
	qs := []map[string]any{a.request(), a.request(), a.request()}
	a.control("init", obj{"subtype": "initialize"})
	listed := a.wait("answer", is("control_response"))["response"].(map[string]any)["pending_permission_requests"]
	if len(listed.([]any)) != 3 {
		t.Errorf("initialize lists %v", listed)
	}
	for _, i := range []int{2, 0, 1} {
		a.answer(qs[i], obj{"behavior": "allow"})
	}
	a.result()
	a.eof()
	a.expect("queued started init status assistant assistant assistant control_request control_request control_request" +
		" control_response user user user status assistant result completed")
}

func TestQuestion(t *testing.T) {
	a := newPlace(t).start(t)
	a.user("ask")
	q := a.request()
	r := q["request"].(map[string]any)
	if r["requires_user_interaction"] != true {
		t.Errorf("request = %v", r)
	}
	input := r["input"].(map[string]any)
	input["answers"] = map[string]any{"Which branch?": "develop", "Which checks?": []string{"lint", "test"}, "Go on?": "yes"}
	a.answer(q, obj{"behavior": "allow", "updatedInput": input})
	want := `Done: Your questions have been answered: "Which branch?"="develop", "Which checks?"="lint,test", "Go on?"="yes".` +
		` You can now continue with these answers in mind.`
	if r := a.result(); r["result"] != want {
		t.Errorf("result = %v", r["result"])
	}
}

func TestPlanApprovalChangesTheMode(t *testing.T) {
	a := newPlace(t).start(t, "--permission-mode", "plan")
	a.user("plan")
	a.answer(a.request(), obj{"behavior": "allow"})
	a.result()
	a.eof()
	a.expect("queued started init status assistant control_request status user status assistant result completed")
}

func TestSessionRule(t *testing.T) {
	a := newPlace(t).start(t)
	a.user("run:echo 1")
	a.answer(a.request(), obj{"behavior": "allow", "updatedPermissions": []obj{{
		"type":     "addRules",
		"behavior": "allow", "destination": "session", "rules": []obj{{"toolName": "Bash"}},
	}}})
	a.result()
	a.user("run:echo 2")
	if r := a.result(); r["result"] != "Done: 2" {
		t.Errorf("result = %v", r["result"])
	}
}

func TestNotAsked(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"allowed by flag":   {[]string{"--allowedTools", "Read,Bash(echo *)"}, "Done: hi"},
		"bypass":            {[]string{"--permission-mode", "bypassPermissions"}, "Done: hi"},
		"disallowed":        {[]string{"--disallowedTools", "Bash"}, "Done: <tool_use_error>Error: No such tool available: Bash</tool_use_error>"},
		"mode dontAsk":      {[]string{"--permission-mode=dontAsk"}, "Done: Permission to use Bash has been denied."},
		"other prompt tool": {[]string{"--permission-prompt-tool", "none"}, "Done: Permission to use Bash has been denied."},
	} {
		t.Run(name, func(t *testing.T) {
			a := newPlace(t, "IS_SANDBOX=1").start(t, c.args...)
			a.user("run:echo hi")
			if r := a.result(); r["result"] != c.want {
				t.Errorf("result = %v, want %s", r["result"], c.want)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	bash := newCall("Bash", map[string]any{"command": "original"})
	for response, want := range map[string]string{
		`{"behavior":"allow"}`:                                       "runs original",
		`{"behavior":"allow","updatedInput":{}}`:                     "runs original",
		`{"behavior":"allow","updatedInput":{"command":"changed"}}`:  "runs changed",
		`{"behavior":"allow","updatedInput":null}`:                   "The canUseTool callback",
		`{"behavior":"allow","updatedInput":{"description":"only"}}`: "InputValidationError",
		`{"behavior":"deny","message":"no"}`:                         "no",
		`{"behavior":"deny","message":""}`:                           "",
		`{"behavior":"deny"}`:                                        "The canUseTool callback",
		`{"behavior":"maybe"}`:                                       "The canUseTool callback",
		`{}`:                                                         "The canUseTool callback",
		`"nonsense"`:                                                 "The canUseTool callback",
		`{"behavior":"deny","interrupt":true}`:                       "interrupts",
	} {
		v := judge(bash, answer{response: json.RawMessage(response)})
		got := v.told
		switch {
		case v.allowed:
			got = "runs " + v.input["command"].(string)
		case v.interrupt:
			got = "interrupts"
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("judge(%s) = %q, want %q", response, got, want)
		}
	}
}

func TestAnswersText(t *testing.T) {
	for answers, want := range map[string]string{
		`{"Which branch?":"main"}`:                `Your questions have been answered: "Which branch?"="main". You can`,
		`{"Which checks?":"lint, build"}`:         `Your questions have been answered: "Which checks?"="lint, build". You`,
		`{"Go on?":"only after lunch"}`:           `The user answered: "Go on?"="only after lunch". Read the answers`,
		`{}`:                                      "The user did not answer the questions.",
		`{"Which branch?":"", "unknown key":"x"}`: "The user did not answer the questions.",
	} {
		var input map[string]any
		if err := json.Unmarshal([]byte(questions), &input); err != nil {
			t.Fatal(err)
		}
		var a any
		if err := json.Unmarshal([]byte(answers), &a); err != nil {
			t.Fatal(err)
		}
		input["answers"] = a
		if got := answersText(input); !strings.HasPrefix(got, want) {
			t.Errorf("answers %s: %s", answers, got)
		}
	}
}
