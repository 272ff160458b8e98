package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The ordinary steps. What each does is in the package comment.

func echo(t *turn, arg string) error { return t.sayf("%s", arg) }

// until counts the messages of the session with the step in the ledger, each once.
func until(t *turn, arg string) error {
	most, _, _ := strings.Cut(arg, "\n")
	ledger, err := os.ReadFile(filepath.Join(t.a.home, ".fake-agent", t.a.session.get()+".accepted"))
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for line := range bytes.Lines(ledger) {
		var l ledgerLine
		if json.Unmarshal(line, &l) == nil && strings.Contains(l.Content, "until:"+most) {
			taken[l.UUID] = true
		}
	}
	if len(taken) >= size(most, 1) {
		return t.sayf("DONE")
	}
	return t.sayf("more")
}

func stream(t *turn, arg string) error {
	f := fields(arg, 3)
	n, bytes, pause := size(f[0], 10), size(f[1], 10), duration(f[2], 10*time.Millisecond)
	return t.say(func(yield func(string) bool) {
		for range n {
			if !yield(filler(bytes)) {
				return
			}
		}
	}, pause)
}

// flood builds its lines by hand: a quarter of a megabyte per write, with the
// reader of stdout as the only brake.
func flood(t *turn, arg string) error {
	f := fields(arg, 2)
	n, text := size(f[0], 1000), filler(size(f[1], 20))
	r := t.reply("end_turn")
	r.open(obj{"type": "text", "text": ""})
	line := append(encode(obj{
		"type": "stream_event", "parent_tool_use_id": nil, "api_message_id": r.id,
		"session_id": t.a.session.get(), "uuid": newUUID(), "event": obj{
			"type": "content_block_delta", "index": 0,
			"delta": obj{"type": "text_delta", "text": text},
		},
	}), '\n')
	block := slices.Repeat(line, max(1, (256<<10)/len(line)))
	for left := n; left > 0; {
		if err := t.wait(0); err != nil {
			if left == n {
				text = "" // no text was sent
			}
			r.abort(text)
			return err
		}
		now := min(left, len(block)/len(line))
		t.a.out.room(8 << 20)
		t.a.out.raw(block[:now*len(line)])
		left -= now
	}
	r.close(obj{"type": "text", "text": strings.Repeat(text, min(n, 1000))})
	t.said = fmt.Sprintf("%d deltas", n)
	r.ended()
	r.stop()
	return nil
}

func think(t *turn, arg string) error {
	r := t.reply("end_turn")
	r.open(obj{"type": "thinking", "thinking": ""})
	t.a.system("thinking_tokens", obj{"estimated_tokens": 3, "estimated_tokens_delta": 3})
	r.delta(obj{"type": "thinking_delta", "thinking": "Let me think."})
	r.delta(obj{"type": "signature_delta", "signature": "c2lnbmVk"})
	r.close(obj{"type": "thinking", "thinking": "Let me think.", "signature": "c2lnbmVk"})
	if err := r.text(strings.SplitAfterSeq(arg, " "), 0); err != nil {
		return err
	}
	r.ended()
	r.stop()
	return nil
}

func sleep(t *turn, arg string) error {
	return t.say(slices.Values([]string{"Slept."}), duration(arg, time.Second))
}

// gate waits without a limit for a process outside.
func gate(t *turn, arg string) error {
	return t.say(func(yield func(string) bool) {
		for {
			if _, err := os.Stat(arg); err == nil {
				yield("Open.")
				return
			}
			if t.wait(10*time.Millisecond) != nil {
				yield("") // which finds the same error
				return
			}
		}
	}, 0)
}

func runCommand(t *turn, arg string) error {
	return t.useAndSay(newCall("Bash", map[string]any{"command": arg, "description": "run it"}))
}

func tool(t *turn, arg string) error {
	name, input, _ := strings.Cut(arg, ":")
	c := newCall(name, map[string]any{})
	if err := json.Unmarshal([]byte(input), &c.input); err != nil && input != "" {
		return t.sayf("Not JSON: %s", input)
	}
	return t.useAndSay(c)
}

// useAndSay uses a tool and answers with its result.
func (t *turn) useAndSay(c call) error {
	result, err := t.useTool(c)
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(result, "\n")
	return t.sayf("Done: %s", first)
}

// tools asks for several calls of one message at once; they are answered in any
// order, and the results come in the order of the calls.
func tools(t *turn, arg string) error {
	r := t.reply("tool_use")
	calls := make([]call, size(arg, 2))
	for i := range calls {
		calls[i] = newCall("Read", map[string]any{"file_path": fmt.Sprintf("/somewhere/else/%d.txt", i)})
		r.tool(calls[i])
	}
	r.ended()
	waits := make([]func() (verdict, error), len(calls))
	for i, c := range calls {
		waits[i] = t.permit(c)
	}
	r.stop()
	for i, wait := range waits {
		v, err := wait()
		if err == nil && v.interrupt {
			err = errInterrupted
		}
		if err != nil {
			t.rejected(err, calls[i:]...)
			return err
		}
		if _, err := t.settle(calls[i], v); err != nil {
			return err
		}
	}
	return t.sayf("Done: %d tools.", len(calls))
}

// questions is what "ask" asks.
const questions = `{"questions":[
 {"question":"Which branch?","header":"Branch","multiSelect":false,
  "options":[{"label":"main","description":"the default"},{"label":"develop","description":"the next one"}]},
 {"question":"Which checks?","header":"Checks","multiSelect":true,
  "options":[{"label":"lint","description":"style"},{"label":"test","description":"tests"},{"label":"build","description":"it builds"}]},
 {"question":"Go on?","header":"Go","multiSelect":false,
  "options":[{"label":"yes","description":"go"},{"label":"no","description":"stop"}]}]}`

func question(t *turn, arg string) error {
	if arg == "" {
		arg = questions
	}
	return tool(t, "AskUserQuestion:"+arg)
}

func plan(t *turn, arg string) error {
	if arg == "" {
		arg = "# Plan\n\n1. Edit the file\n2. Run the tests\n"
	}
	file := t.a.home + "/.claude/plans/fake.md"
	return t.useAndSay(newCall("ExitPlanMode", map[string]any{"plan": arg, "planFilePath": file}))
}

func refused(t *turn, arg string) error {
	err := &apiError{size(arg, 400)}
	t.requesting()
	r := &reply{t: t, id: newUUID(), stopReason: "stop_sequence"}
	r.assistant(obj{"type": "text", "text": err.Error()}, obj{
		"error": "unknown", "is_api_error_message": true,
		"api_error_status": err.status, "api_error_type": "invalid_request_error",
	})
	t.calls++
	return err
}

// limited reports a limit of the account's plan, and fails as the API does then.
func limited(t *turn, arg string) error {
	wait, err := time.ParseDuration(arg)
	if err != nil {
		return t.sayf("No duration: %s", arg)
	}
	t.a.out.line(obj{"type": "rate_limit_event", "uuid": newUUID(), "session_id": t.a.session.get(), "rate_limit_info": obj{
		"status": "rejected", "rateLimitType": "five_hour", "resetsAt": time.Now().Add(wait).Unix(),
	}})
	return refused(t, "429")
}

func retried(t *turn, arg string) error {
	t.requesting()
	for i := range size(arg, 2) {
		t.a.system("api_retry", obj{
			"attempt": i + 1, "max_retries": 10, "retry_delay_ms": 10,
			"error_status": 529, "error": "overloaded",
		})
		if err := t.wait(10 * time.Millisecond); err != nil {
			t.interruption("[Request interrupted by user]")
			return err
		}
	}
	return t.sayf("Back to normal.")
}

// withdrawn streams half a message, withdraws it, and sends another.
func withdrawn(t *turn, _ string) error {
	r := t.reply("end_turn")
	r.open(obj{"type": "text", "text": ""})
	r.delta(obj{"type": "text_delta", "text": "This half is "})
	r.event(obj{"type": "content_block_stop", "index": 0}, nil)
	r.event(obj{"type": "message_stop"}, obj{"abandoned_blocks": obj{"api_message_id": r.id, "from_block_index": 0}})
	return t.sayf("This is the whole answer.")
}
