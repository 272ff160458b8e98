package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestTextTurn(t *testing.T) {
	p := newPlace(t)
	session := newUUID()
	a := p.start(t, "--session-id", session)
	uuid := a.user("echo:hello there")
	r := a.result()
	if r["result"] != "hello there" || r["is_error"] != false || r["user_message_uuid"] != uuid || r["session_id"] != session {
		t.Errorf("result = %v", r)
	}
	if _, onDisk := p.transcript(session); !onDisk {
		t.Error("the result came before the transcript")
	}
	if code := a.eof(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	a.expect("queued started init status assistant result completed")
	if n := p.accepted(t, session)[uuid]; n != 1 {
		t.Errorf("accepted %d times", n)
	}
}

func TestSilentUntilSpokenTo(t *testing.T) {
	a := newPlace(t).start(t)
	if code := a.eof(); code != 0 || len(a.seen) > 0 {
		t.Errorf("code %d, said %s", code, a.story())
	}
}

func TestPartialMessagesInOrder(t *testing.T) {
	a := newPlace(t).start(t)
	a.user("think:one two")
	a.result()
	var got []string
	for _, l := range a.seen {
		if e, ok := l["event"].(map[string]any); ok {
			got = append(got, e["type"].(string))
		} else if l["type"] == "assistant" {
			got = append(got, "ASSISTANT")
		}
	}
	want := "message_start" +
		" content_block_start content_block_delta content_block_delta ASSISTANT content_block_stop" +
		" content_block_start content_block_delta content_block_delta ASSISTANT content_block_stop" +
		" message_delta message_stop"
	if strings.Join(got, " ") != want {
		t.Errorf("events:\n got %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestQueuedMessagesMergeIntoOneTurn(t *testing.T) {
	p := newPlace(t)
	session := newUUID()
	a := p.start(t, "--session-id", session)
	first := a.user("gate:go")
	a.wait("init", is("init"))
	a.wait("status", is("status")) // which follows it at once
	second, third := a.user("echo:two"), a.user("echo:three")
	for _, uuid := range []string{second, third} {
		a.wait("queued", func(l map[string]any) bool { return l["type"] == "command_lifecycle" && l["command_uuid"] == uuid })
	}
	if err := os.WriteFile(filepath.Join(p.cwd, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := a.result(); !reflect.DeepEqual(r["user_message_uuids"], []any{first}) {
		t.Errorf("first result is for %v", r["user_message_uuids"])
	}
	r := a.result()
	if !reflect.DeepEqual(r["user_message_uuids"], []any{second, third}) || r["user_message_uuid"] != third {
		t.Errorf("second result is for %v, %v", r["user_message_uuids"], r["user_message_uuid"])
	}
	a.eof()
	a.expect("queued started init status queued queued assistant result completed" +
		" started started init status assistant status assistant result completed completed")

	// of merged messages only the last one's uuid is in the transcript
	b := p.start(t, "--resume", session)
	b.send(userMessage(second, "echo:two"), userMessage(third, "echo:three"))
	b.result()
	b.eof()
	if got := b.lifecycles(second) + "; " + b.lifecycles(third); got != "queued started completed; completed" {
		t.Errorf("sent again: %s", got)
	}
}

func TestMessageFoldsIntoTurnWithTool(t *testing.T) {
	a := newPlace(t).start(t)
	first := a.user(`tool:Edit:{"file_path":"x"}`)
	q := a.request()
	second := a.user("echo:also this")
	a.wait("queued", is("command_lifecycle"))
	a.answer(q, obj{"behavior": "allow"})
	if r := a.result(); !reflect.DeepEqual(r["user_message_uuids"], []any{first, second}) {
		t.Errorf("result is for %v", r["user_message_uuids"])
	}
	a.eof()
	a.expect("queued started init status assistant control_request queued user started status assistant" +
		" completed result completed")
}

func TestUUIDTwiceInOneProcessIsSilence(t *testing.T) {
	p := newPlace(t)
	session := newUUID()
	a := p.start(t, "--session-id", session)
	uuid := a.user("echo:once")
	a.result()
	a.wait("completed", is("command_lifecycle"))
	a.send(userMessage(uuid, "echo:once"))
	a.control("barrier", obj{"subtype": "get_binary_version"})
	a.wait("barrier", is("control_response"))
	a.eof()
	if a.lifecycles(uuid) != "queued started completed" || p.accepted(t, session)[uuid] != 1 {
		t.Errorf("lifecycle %s, accepted %d times", a.lifecycles(uuid), p.accepted(t, session)[uuid])
	}
}

func TestAnswersKeepTheOrderOfStdin(t *testing.T) {
	a := newPlace(t).start(t)
	a.user("stream:20:10:5ms")
	a.wait("init", is("init"))
	for i := range 20 {
		a.control(fmt.Sprint(i), obj{"subtype": "mcp_status"})
		uuid := a.user("echo:more")
		a.wait("queued", func(l map[string]any) bool { return l["command_uuid"] == uuid })
	}
	next := 0
	for _, l := range a.seen {
		if r, ok := l["response"].(map[string]any); ok {
			if r["request_id"] != fmt.Sprint(next) {
				t.Fatalf("answer %v, want %d", r["request_id"], next)
			}
			next++
		}
	}
	if next != 20 {
		t.Errorf("%d answers", next)
	}
}

func TestInterruptWhileStreaming(t *testing.T) {
	a := newPlace(t).start(t)
	uuid := a.user("stream:1000:10:5ms")
	a.wait("text", func(l map[string]any) bool {
		e, _ := l["event"].(map[string]any)
		return e["type"] == "content_block_delta"
	})
	a.control("i", obj{"subtype": "interrupt"})
	if r := a.result(); r["subtype"] != "error_during_execution" || r["terminal_reason"] != "aborted_streaming" {
		t.Errorf("result = %v", r)
	}
	a.user("echo:next")
	a.result()
	if code := a.eof(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if a.lifecycles(uuid) != "queued started cancelled" {
		t.Errorf("lifecycle %s", a.lifecycles(uuid))
	}
	a.expect("queued started init status control_response assistant user result cancelled" +
		" queued started init status assistant result completed")
}

func TestPriorityNow(t *testing.T) {
	a := newPlace(t).start(t)
	a.user("stream:1000:10:5ms")
	a.wait("init", is("init"))
	a.send(`{"type":"user","priority":"now","message":{"role":"user","content":"echo:urgent"}}`)
	if r := a.result(); r["subtype"] != "success" || r["terminal_reason"] != "aborted_streaming" {
		t.Errorf("result = %v", r)
	}
	if r := a.result(); r["result"] != "urgent" {
		t.Errorf("result = %v", r)
	}
}

func TestScript(t *testing.T) {
	dir := t.TempDir() + "/script.json"
	if err := appendFile(dir, []byte(`{"rules":[{"prompt":"^greet (\\w+)","steps":["echo:hello $1","echo:bye $1"]}]}`)); err != nil {
		t.Fatal(err)
	}
	a := newPlace(t, "FAKE_AGENT_SCRIPT="+dir).start(t)
	a.user("greet world")
	if r := a.result(); r["result"] != "bye world" {
		t.Errorf("result = %v", r["result"])
	}
}
