package model_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// These tests run the real Claude Code against the scripted model, and check that it follows the
// scripts.

func TestRealTextTurns(t *testing.T) {
	t.Parallel()
	session := uuid.NewString()
	c := start(t, "text", []string{"--session-id", session}, nil)
	id := c.user("hello there")
	r := c.result()
	if r["result"] != "Hello, this is a short answer." || r["is_error"] != false || r["session_id"] != session ||
		!reflect.DeepEqual(r["user_message_uuids"], []any{id}) {
		t.Errorf("result = %v", r)
	}
	c.wait("completed", is("command_lifecycle"))
	c.expect("queued started init status assistant result completed")
	c.expectOnce("hello there")

	c.seen = nil
	c.user("think about it")
	if r := c.result(); r["result"] != "I have thought about it." {
		t.Errorf("result = %v", r["result"])
	}
	if !strings.Contains(c.story(), "thinking_tokens assistant assistant result") {
		t.Errorf("lines: %s", c.story())
	}
	c.expectOnce("hello there")
	c.expectOnce("think about it")
}

func TestRealToolAllowedAndDenied(t *testing.T) {
	t.Parallel()
	c := start(t, "tool", nil, nil)
	c.user("tool please")
	q := c.request()
	if q.at("request", "tool_name") != "Bash" || q.at("request", "input", "command") != "touch made.txt && echo hi" {
		t.Errorf("request = %v", q)
	}
	c.answer(q, line{"behavior": "allow"})
	if r := c.result(); r["result"] != "Done: the tool ran." || r["num_turns"] != 2.0 {
		t.Errorf("result = %v", r)
	}
	if _, err := os.Stat(filepath.Join(c.cwd, "made.txt")); err != nil {
		t.Error(err)
	}
	c.expect("queued started init status assistant assistant control_request user status assistant result")
	c.expectOnce("tool please")

	c.user("create it again")
	c.answer(c.request(), line{"behavior": "deny", "message": "Not now."})
	if r := c.result(); r["result"] != "The tool did not run: Not now." || len(r["permission_denials"].([]any)) != 1 {
		t.Errorf("result = %v", r)
	}
}

func TestRealQuestion(t *testing.T) {
	t.Parallel()
	c := start(t, "question", nil, nil)
	c.user("ask me")
	q := c.request()
	input, _ := q.at("request", "input").(map[string]any)
	questions, _ := input["questions"].([]any)
	if q.at("request", "tool_name") != "AskUserQuestion" || q.at("request", "requires_user_interaction") != true || len(questions) != 3 {
		t.Fatalf("request = %v", q)
	}
	input["answers"] = line{"Which branch?": "develop", "Which checks?": "lint, test", "Go on?": "yes"}
	c.answer(q, line{"behavior": "allow", "updatedInput": input})
	want := `Thank you. Your questions have been answered: "Which branch?"="develop", "Which checks?"="lint, test", "Go on?"="yes".`
	if r := c.result(); !strings.HasPrefix(r["result"].(string), want) {
		t.Errorf("result = %v", r["result"])
	}
}

func TestRealSubagents(t *testing.T) {
	t.Parallel()
	c := start(t, "subagent", nil, nil)
	c.user("helper, please")
	started := c.wait("start of the subagent", is("task_started"))
	q := c.request()
	if q.at("request", "agent_id") != started["task_id"] || started["is_backgrounded"] != false {
		t.Errorf("started %v, request %v", started, q)
	}
	c.answer(q, line{"behavior": "allow"})
	if l := c.wait("notification", is("task_notification")); l["summary"] != "Subagent report: saw from-sub." {
		t.Errorf("notification = %v", l)
	}
	if r := c.result(); r["result"] != "The subagent is finished." {
		t.Errorf("result = %v", r)
	}
	for _, l := range c.seen {
		if l["type"] == "assistant" && l["agent_id"] != nil && l["parent_tool_use_id"] != started["tool_use_id"] {
			t.Errorf("a line of the subagent without its parent: %v", l)
		}
	}

	c.seen = nil
	c.user("background, please")
	// the request and the first result come in either order
	results, answered := 0, false
	for results < 2 {
		l := c.wait("request or result", func(l line) bool { return is("result")(l) || is("control_request")(l) })
		if is("result")(l) {
			if results++; results == 2 && l.at("origin", "kind") != "task-notification" {
				t.Errorf("result = %v", l)
			}
			continue
		}
		c.answer(l, line{"behavior": "allow"})
		answered = true
	}
	if r, _ := c.model.Latest(""); !answered || r.Rule != "background ended" {
		t.Errorf("the last request was answered by %q", r.Rule)
	}
}

func TestRealPlan(t *testing.T) {
	t.Parallel()
	c := start(t, "plan", []string{"--permission-mode", "plan"}, nil)
	c.user("plan the change")
	q := c.request()
	if plan, _ := q.at("request", "input", "plan").(string); !strings.HasPrefix(plan, "# Plan") {
		t.Errorf("request = %v", q)
	}
	c.answer(q, line{"behavior": "allow"})
	c.answer(c.request(), line{"behavior": "allow"})
	if r := c.result(); r["result"] != "The plan is carried out." {
		t.Errorf("result = %v", r)
	}
}

func TestRealTaskList(t *testing.T) {
	t.Parallel()
	c := start(t, "tasks", nil, []string{"CLAUDE_CODE_ENABLE_TODO_TOOLS=1"})
	c.user("tasks")
	if r := c.result(); r["result"] != "All tasks are done." {
		t.Errorf("result = %v", r)
	}
	var changes []string
	for _, l := range c.seen {
		if to := l.at("tool_use_result", "statusChange", "to"); to != nil {
			changes = append(changes, fmt.Sprint(to))
		}
	}
	if got := strings.Join(changes, " "); got != "in_progress completed completed" {
		t.Errorf("changes: %s", got)
	}
}

func TestRealInterruptAndErrors(t *testing.T) {
	t.Parallel()
	c := start(t, "default", nil, nil)
	c.user("hold it")
	if err := c.model.Held(c.ctx, "story"); err != nil {
		t.Fatal(err)
	}
	c.send(line{"type": "control_request", "request_id": "i", "request": line{"subtype": "interrupt"}})
	if r := c.result(); r["terminal_reason"] != "aborted_streaming" {
		t.Errorf("result = %v", r)
	}
	c.user("malformed")
	if r := c.result(); r["is_error"] != true || r["api_error_status"] != 400.0 {
		t.Errorf("result = %v", r)
	}
	c.user("limited")
	if l := c.wait("retry", is("api_retry")); l["error_status"] != 429.0 {
		t.Errorf("retry = %v", l)
	}
	if r := c.result(); r["result"] != "Back to normal." {
		t.Errorf("result = %v", r)
	}
	c.user("whatever")
	if r := c.result(); r["result"] != "You said: whatever" {
		t.Errorf("result = %v", r)
	}
}

func TestRealJob(t *testing.T) {
	t.Parallel()
	c := start(t, "job", nil, nil)
	c.user("job")
	c.answer(c.request(), line{"behavior": "allow"})
	for started := filepath.Join(c.cwd, "started.txt"); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(started); err == nil {
			break
		}
		if c.ctx.Err() != nil {
			t.Fatal("the job did not start")
		}
	}
	if err := os.WriteFile(filepath.Join(c.cwd, "release.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := c.result(); r["result"] != "The job is done: released" {
		t.Errorf("result = %v", r)
	}
}

func TestRealFaultsAndSizes(t *testing.T) {
	t.Parallel()
	c := start(t, "default", []string{"--allowedTools", "Bash"}, nil)
	for prompt, want := range map[string]string{
		"busy":    "Back to normal.",
		"broken":  "This is the whole answer.",
		"halved":  "This is the other half.",
		"cut":     "This is the whole answer.",
		"toolong": "so on.",
		"large":   "All work and no play",
		"output":  "That was much.",
		"run: ls": "Done: ",
	} {
		begun := time.Now()
		c.seen = nil
		c.user(prompt)
		r := c.result()
		if text, _ := r["result"].(string); !strings.HasPrefix(text, want) || r["is_error"] != false {
			t.Errorf("%s: %.300v", prompt, r)
		}
		t.Logf("%s: %s: %s", prompt, time.Since(begun).Round(time.Millisecond), c.story())
	}
}
