package main

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
)

func TestBadInputEndsTheProcess(t *testing.T) {
	for line, want := range map[string]string{
		"hello":                                "Error parsing streaming input line (type=unknown, 5 chars): SyntaxError",
		`{"type":"user","message":{"role":"us`: "Error parsing streaming input line (type=user, 36 chars): SyntaxError",
		"null":                                 "Error parsing streaming input line (type=unknown, 4 chars): TypeError",
		`{"type":"user"}`:                      "Error: Expected message role 'user', got 'undefined'",
		`{"type":"user","message":{"role":"assistant","content":"x"}}`: "Error: Expected message role 'user', got 'assistant'",
		`{"type":"control_request","request_id":"x"}`:                  "Error: Missing request on control_request",
	} {
		a := newPlace(t).start(t)
		a.send(line)
		if code := a.rest(); code != 1 || strings.TrimSpace(a.stderr.String()) != want || len(a.seen) > 0 {
			t.Errorf("%s: code %d, stderr %q, lines %s", line, code, a.stderr.String(), a.story())
		}
	}
}

func TestIgnoredInput(t *testing.T) {
	a := newPlace(t).start(t)
	a.send("", "   ", "42", "[]", `{"type":"keep_alive"}`, `{"no":"type"}`, `{"type":"control_response"}`,
		`{"type":"control_response","response":{"request_id":"nobody","response":{}}}`,
		`{"type":"user","message":{"role":"user","content":5}}`, `{"type":"system","subtype":"x"}`)
	a.user("echo:alive\r")
	a.result()
	a.eof()
	a.expect("queued started init status assistant result completed")
}

func TestRefusedFlags(t *testing.T) {
	for flag, want := range map[string]string{
		"--bogus":                "error: unknown option '--bogus'",
		"--permission-mode=zzz":  "argument 'zzz' is invalid",
		"--session-id=abc":       "Error: Invalid session ID. Must be a valid UUID.",
		"--resume=zzz":           "is not a UUID",
		"--input-format=text":    "only --input-format stream-json",
		"--permission-mode=plan": "",
	} {
		a := newPlace(t).start(t, flag)
		code := a.eof()
		if want == "" && code != 0 || want != "" && (code != 1 || !strings.Contains(a.stderr.String(), want)) {
			t.Errorf("%s: code %d, stderr %q", flag, code, a.stderr.String())
		}
	}
	out, err := exec.Command(binary, "--version").Output()
	if err != nil || string(out) != "2.1.330 (Claude Code)\n" {
		t.Errorf("version %q, %v", out, err)
	}
}

func TestExitAtStart(t *testing.T) {
	p := newPlace(t, "FAKE_AGENT_EXIT_AT_START=7:2")
	for i, want := range []int{7, 7, 0} {
		if code := p.start(t).eof(); code != want {
			t.Errorf("start %d: code %d, want %d", i, code, want)
		}
	}
}

func TestFatalStepsHappenOnce(t *testing.T) {
	for step, code := range map[string]int{"exit:3": 3, "torn-exit": -1, "early:exit:4": 4} {
		p := newPlace(t)
		session := newUUID()
		a := p.start(t, "--session-id", session)
		uuid := a.user(step)
		if got := a.rest(); got != code {
			t.Errorf("%s: code %d, want %d", step, got, code)
		}
		if step == "torn-exit" {
			last := a.seen[len(a.seen)-1]
			if raw, torn := last["raw"].(string); !torn || strings.HasSuffix(raw, "\n") {
				t.Errorf("the last line is whole: %v", last)
			}
		}
		flag := "--resume"
		if _, onDisk := p.transcript(session); !onDisk {
			flag = "--session-id"
		}
		if early := strings.HasPrefix(step, "early:"); early != (flag == "--session-id") {
			t.Errorf("%s: %s", step, flag)
		}
		b := p.start(t, flag, session)
		b.send(userMessage(uuid, step))
		if r := b.result(); r["result"] != "Survived: "+step {
			t.Errorf("%s again: %v", step, r["result"])
		}
	}
	a := newPlace(t).start(t)
	a.user("always:exit:5")
	if code := a.rest(); code != 5 {
		t.Errorf("code %d", code)
	}
}

// talk runs prompts through a fresh agent and returns its raw stdout.
func talk(t *testing.T, p place, prompts ...string) (stdout, stderr []byte) {
	t.Helper()
	var in, out, errs bytes.Buffer
	for _, prompt := range prompts {
		in.WriteString(userMessage(newUUID(), prompt) + "\n")
	}
	cmd := exec.Command(binary, usual...)
	cmd.Dir, cmd.Env = p.cwd, append([]string{"HOME=" + p.home}, p.env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v; %s", prompts, err, &errs)
	}
	return out.Bytes(), errs.Bytes()
}

func TestMisbehaviours(t *testing.T) {
	for prompt, check := range map[string]func(out, stderr []byte) bool{
		"garbage":       func(out, _ []byte) bool { return bytes.Contains(out, []byte("\nSegmentation fault")) },
		"blank":         func(out, _ []byte) bool { return bytes.Contains(out, []byte("\n\n   \n")) },
		"crlf":          func(out, _ []byte) bool { return bytes.Contains(out, []byte("}\r\n")) },
		"invalid-utf8":  func(out, _ []byte) bool { return !utf8.Valid(out) },
		"biglines:20MB": func(out, _ []byte) bool { return len(out) > 60<<20 },
		"stderr:100KB":  func(_, stderr []byte) bool { return len(stderr) > 100<<10 },
		"no-result":     func(out, _ []byte) bool { return !bytes.Contains(out, []byte(`"type":"result"`)) },
		"unknown-type":  func(out, _ []byte) bool { return bytes.Contains(out, []byte("telepathy")) },
		"withdraw":      func(out, _ []byte) bool { return bytes.Contains(out, []byte("abandoned_blocks")) },
		"supersede":     func(out, _ []byte) bool { return bytes.Contains(out, []byte(`"supersedes":["`)) },
		"refuse":        func(out, _ []byte) bool { return bytes.Contains(out, []byte(`"retracted_message_uuids":["`)) },
		"retry:3":       func(out, _ []byte) bool { return bytes.Count(out, []byte("api_retry")) == 3 },
		"flood:50000":   func(out, _ []byte) bool { return bytes.Count(out, []byte("text_delta")) == 50000 },
		"task-turn":     func(out, _ []byte) bool { return bytes.Count(out, []byte(`"type":"result"`)) == 2 },
		"bg:20ms":       func(out, _ []byte) bool { return bytes.Contains(out, []byte("task_notification")) },
		"subagent":      func(out, _ []byte) bool { return bytes.Contains(out, []byte(`"agent_id"`)) },
		"/compact":      func(out, _ []byte) bool { return bytes.Contains(out, []byte("compact_boundary")) },
		"/cost":         func(out, _ []byte) bool { return bytes.Contains(out, []byte(`"local_command":"cost"`)) },
	} {
		t.Run(strings.ReplaceAll(prompt, "/", "slash-"), func(t *testing.T) {
			if out, stderr := talk(t, newPlace(t), prompt); !check(out, stderr) {
				t.Errorf("stdout: %.3000s\nstderr: %.300s", out, stderr)
			}
		})
	}
}

func TestAPIError(t *testing.T) {
	a := newPlace(t).start(t)
	uuid := a.user("error:529")
	if r := a.result(); r["subtype"] != "success" || r["is_error"] != true || r["api_error_status"] != 529.0 {
		t.Errorf("result = %v", r)
	}
	if code := a.eof(); code != 1 || a.lifecycles(uuid) != "queued started cancelled" {
		t.Errorf("code %d, lifecycle %s", code, a.lifecycles(uuid))
	}
}

func TestDuplicateRequestNeedsOneAnswer(t *testing.T) {
	a := newPlace(t).start(t)
	a.user("dup-request-id")
	first, second := a.request(), a.request()
	if first["request_id"] != second["request_id"] {
		t.Errorf("ids %v, %v", first["request_id"], second["request_id"])
	}
	a.answer(first, obj{"behavior": "allow"})
	a.result()
}

func TestClearChangesTheSession(t *testing.T) {
	p := newPlace(t)
	session := newUUID()
	a := p.start(t, "--session-id", session)
	a.user("/clear")
	if r := a.result(); r["session_id"] == session || r["local_command"] != "clear" || r["num_turns"] != 0.0 {
		t.Errorf("result = %v", r)
	}
	a.user("echo:new")
	now := a.result()["session_id"].(string)
	a.eof()
	if file, ok := p.transcript(now); !ok || !strings.Contains(file, "echo:new") {
		t.Error("the new conversation is not in the new transcript")
	}
}

func TestBackgroundAgentAsksBetweenTurns(t *testing.T) {
	a := newPlace(t).start(t)
	a.user("bg-ask")
	a.result()
	q := a.wait("request", is("control_request"))
	if q["request"].(map[string]any)["agent_id"] == nil {
		t.Errorf("request = %v", q)
	}
	a.answer(q, obj{"behavior": "allow"})
	if r := a.result(); r["origin"].(map[string]any)["kind"] != "task-notification" || r["user_message_uuids"] != nil {
		t.Errorf("result = %v", r)
	}
	if code := a.eof(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestStubborn(t *testing.T) {
	a := newPlace(t).start(t)
	a.user("ignore-sigterm")
	a.result()
	a.control("end", obj{"subtype": "end_session"})
	a.wait("answer", is("control_response"))
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if err := a.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	a.user("echo:still here")
	if r := a.result(); r["result"] != "still here" {
		t.Errorf("result = %v", r)
	}
	a.kill()
}

func TestStalledReaderDoesNotStopTheTurn(t *testing.T) {
	p := newPlace(t)
	session := newUUID()
	cmd := exec.Command(binary, append(usual[:len(usual):len(usual)], "--session-id", session)...)
	cmd.Dir, cmd.Env = p.cwd, []string{"HOME=" + p.home}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe() // not read for now
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	uuid := newUUID()
	if _, err := io.WriteString(in, userMessage(uuid, "biglines:5MB")+"\n"); err != nil {
		t.Fatal(err)
	}
	p.onDisk(t, session, `"end_turn"`)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(out)
	if err != nil || !bytes.Contains(all, []byte(`"result"`)) {
		t.Errorf("read %d bytes, %v", len(all), err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
