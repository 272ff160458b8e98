package main

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"
)

// outputLimit is the length at which the real one cuts the output of a command.
const outputLimit = 30000

// useTool is a whole tool call of the main agent: the reply that holds it, the
// question to the host, the tool, its result.
func (t *turn) useTool(c call) (result string, err error) {
	r := t.reply("tool_use")
	r.tool(c)
	r.ended()
	wait := t.permit(c)
	r.stop()
	v, err := wait()
	if err != nil {
		t.rejected(err, c)
		return "", err
	}
	return t.settle(c, v)
}

// permit finds out whether a call may run, printing the request if the host has
// to be asked; the function returned waits for the answer.
func (t *turn) permit(c call) func() (verdict, error) {
	v, ask := t.a.decide(c)
	if !ask {
		return func() (verdict, error) { return v, nil }
	}
	q := t.a.request(c)
	return func() (verdict, error) { return t.a.await(t.ctx, q) }
}

// tool is the block that holds a call.
func (r *reply) tool(c call) {
	block := obj{"type": "tool_use", "id": c.id, "name": c.name}
	block["input"] = obj{}
	r.open(block)
	for part := range chunksOf(encode(c.input), 20) {
		r.delta(obj{"type": "input_json_delta", "partial_json": string(part)})
	}
	r.close(obj{"type": "tool_use", "id": c.id, "name": c.name, "input": c.input})
}

// settle runs a call, or does not, and prints its result; queued messages are
// folded in after it.
func (t *turn) settle(c call, v verdict) (result string, err error) {
	switch {
	case v.interrupt:
		t.rejected(errInterrupted, c)
		return "", errInterrupted
	case !v.allowed:
		t.deny(c)
		t.toolResult(c.id, v.told, true, "Error: "+v.told, v.meta)
		t.fold()
		return v.told, nil
	}
	c.input = v.input
	content, detail, failed, err := t.perform(c)
	if err != nil {
		t.rejected(err, c)
		return "", err
	}
	t.toolResult(c.id, content, failed, detail, v.meta)
	t.fold()
	return content, nil
}

// perform is what a tool does: Bash runs, questions are answered, a plan is
// approved, and everything else succeeds without doing anything.
func (t *turn) perform(c call) (content string, detail any, failed bool, err error) {
	switch c.name {
	case "Bash":
		command, _ := c.input["command"].(string)
		content, failed, err = t.shell(c.id, command)
		return content, obj{"stdout": content, "stderr": "", "interrupted": false, "isImage": false}, failed, err
	case "AskUserQuestion":
		return answersText(c.input), c.input, false, nil
	case "ExitPlanMode":
		plan, _ := c.input["plan"].(string)
		return "User has approved your plan. You can now start coding.\n\n## Approved Plan:\n" + plan, c.input, false, nil
	}
	return "ok", obj{"ok": true}, false, nil
}

// shell runs a command in a session of its own, as the real one does: killing
// our process group does not reach it, and SIGKILL of us leaves it running.
func (t *turn) shell(toolID, command string) (printed string, failed bool, err error) {
	var out bytes.Buffer
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Dir = t.a.cwd
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = 100 * time.Millisecond // a grandchild may keep the pipe open
	t.mu.Lock()
	if err := cmd.Start(); err != nil {
		t.mu.Unlock()
		return err.Error(), true, nil
	}
	t.child, t.toolID = cmd.Process, toolID
	t.mu.Unlock()
	defer context.AfterFunc(t.ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })()

	err = cmd.Wait()
	t.mu.Lock()
	t.child = nil
	killed := t.killed
	t.mu.Unlock()
	if killed {
		select {} // the process is ending; its killer reports it
	}
	if cause := context.Cause(t.ctx); cause != nil {
		return "", true, cause
	}
	text := string(bytes.TrimRight(out.Bytes(), "\n"))
	if len(text) > outputLimit {
		text = text[:outputLimit] + "\n... [output cut]"
	}
	return text, err != nil && !errors.Is(err, exec.ErrWaitDelay), nil
}

// toolResult prints and records the result of a call.
func (t *turn) toolResult(id, content string, failed bool, detail any, meta obj) {
	block := obj{"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed}
	m := obj{"role": "user", "content": []any{block}}
	line := obj{"message": m, "parent_tool_use_id": nil, "tool_use_result": detail, "timestamp": timestamp()}
	if meta != nil {
		entry := obj{"id": id}
		for k, v := range meta {
			entry[k] = v
		}
		line["tool_result_meta"] = []obj{entry}
	}
	t.a.emit("user", line)
	t.a.disk.say("user", "", obj{"message": m, "toolUseResult": detail})
}

// deny lists a call in the permission_denials of the result.
func (t *turn) deny(c call) {
	t.denials = append(t.denials, obj{"tool_name": c.name, "tool_use_id": c.id, "tool_input": c.input})
}

// rejected ends calls whose turn was interrupted.
func (t *turn) rejected(err error, calls ...call) {
	t.inTool = true
	for _, c := range calls {
		t.deny(c)
		t.toolResult(c.id, rejection, true, "User rejected tool use", obj{"non_execution_kind": "user-rejected"})
	}
	t.interruption("[Request interrupted by user for tool use]")
}

// chunksOf cuts bytes into pieces.
func chunksOf(b []byte, size int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			n := min(size, len(b))
			if !yield(b[:n]) {
				return
			}
			b = b[n:]
		}
	}
}
