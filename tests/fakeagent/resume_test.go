package main

import (
	"strings"
	"testing"
	"time"
)

// continues is the environment that makes a resumed process go on by itself.
var continues = []string{"CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1", "CLAUDE_CODE_RESUME_SHOWS_CUT_OFF_CALLS=1"}

// onDisk waits until the transcript holds text.
func (p place) onDisk(t *testing.T, session, text string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if file, ok := p.transcript(session); ok && strings.Contains(file, text) {
			return
		}
	}
	t.Fatalf("%s never reached the transcript", text)
}

// acceptedOnDisk counts the acceptances the transcript knows of.
func (p place) acceptedOnDisk(session, uuid string) int {
	file, _ := p.transcript(session)
	return strings.Count(file, `"accepted":["`+uuid+`"]`)
}

func TestKilledBeforeTheFirstFlush(t *testing.T) {
	p := newPlace(t, "FAKE_AGENT_FLUSH=1h")
	session := newUUID()
	a := p.start(t, "--session-id", session)
	uuid := a.user("run:true")
	a.request()
	a.kill()

	b := p.start(t, "--resume", session)
	r := b.result()
	want := "No conversation found with session ID: " + session
	if errs := r["errors"].([]any); r["subtype"] != "error_during_execution" || errs[0] != want || r["session_id"] != session {
		t.Errorf("result = %v", r)
	}
	if code := b.rest(); code != 1 || strings.TrimSpace(b.stderr.String()) != want {
		t.Errorf("code %d, stderr %q", code, b.stderr.String())
	}

	c := p.start(t, "--session-id", session)
	c.send(userMessage(uuid, "echo:again"))
	c.result()
	c.eof()
	if n := p.acceptedOnDisk(session, uuid); n != 1 {
		t.Errorf("accepted %d times on disk", n)
	}
}

func TestResumedSilentlyWithoutTheVariables(t *testing.T) {
	p := newPlace(t)
	session := newUUID()
	a := p.start(t, "--session-id", session)
	a.user("run:true")
	a.request()
	p.onDisk(t, session, "tool_use")
	a.kill()
	b := p.start(t, "--resume", session)
	b.control("up", obj{"subtype": "initialize"})
	b.wait("answer", is("control_response"))
	b.user("echo:go on")
	if r := b.result(); r["result"] != "go on" || r["resume_reason"] != nil {
		t.Errorf("result = %v", r)
	}
	b.eof()
	b.expect("control_response queued started init status assistant result completed")
}

func TestSameUUIDAfterACompletedTurn(t *testing.T) {
	p := newPlace(t)
	session := newUUID()
	a := p.start(t, "--session-id", session)
	uuid := a.user("echo:done")
	a.result()
	a.kill()
	b := p.start(t, "--resume", session)
	b.send(userMessage(uuid, "echo:done"))
	b.eof()
	b.expect("completed")
	if n := p.acceptedOnDisk(session, uuid); n != 1 {
		t.Errorf("accepted %d times", n)
	}
}

func TestSameUUIDWhenOnlyTheMessageIsOnDisk(t *testing.T) {
	p := newPlace(t)
	session := newUUID()
	a := p.start(t, "--session-id", session)
	uuid := a.user("sleep:1h")
	p.onDisk(t, session, uuid)
	a.kill()
	b := p.start(t, "--resume", session)
	b.send(userMessage(uuid, "echo:runs again"))
	b.result()
	b.eof()
	b.expect("queued started init status assistant result completed")
	if n := p.acceptedOnDisk(session, uuid); n != 2 {
		t.Errorf("accepted %d times, and the model would see it twice", n)
	}
}

func TestInterruptedTurnContinues(t *testing.T) {
	t.Run("message on disk, sent again while it runs", func(t *testing.T) {
		p := newPlace(t)
		session := newUUID()
		a := p.start(t, "--session-id", session)
		uuid := a.user("stream:4:10:50ms")
		p.onDisk(t, session, uuid)
		a.kill()
		p.env = continues
		b := p.start(t, "--resume", session)
		b.send(userMessage(uuid, "stream:4:10:50ms"))
		if r := b.result(); r["resume_reason"] != "interrupted_turn" || r["user_message_uuid"] != uuid {
			t.Errorf("result = %v", r)
		}
		b.eof()
		b.expect("started init status assistant result completed completed")
		if n := p.acceptedOnDisk(session, uuid); n != 1 {
			t.Errorf("accepted %d times", n)
		}
	})
	t.Run("tool call on disk, sent again", func(t *testing.T) {
		p := newPlace(t)
		session := newUUID()
		a := p.start(t, "--session-id", session)
		uuid := a.user("run:true")
		a.request()
		p.onDisk(t, session, "tool_use")
		a.kill()
		p.env = continues
		b := p.start(t, "--resume", session)
		b.send(userMessage(uuid, "run:true"))
		b.result()
		b.eof()
		if b.lifecycles(uuid) != "completed" || strings.Contains(b.story(), "control_request") {
			t.Errorf("lines: %s", b.story())
		}
	})
	t.Run("a hidden tool call is made again", func(t *testing.T) {
		p := newPlace(t)
		session := newUUID()
		a := p.start(t, "--session-id", session)
		a.user("run:true")
		first := a.request()
		p.onDisk(t, session, "tool_use")
		a.kill()
		p.env = []string{continues[0], "CLAUDE_CODE_RESUME_REASON=power cut"}
		b := p.start(t, "--resume", session)
		second := b.request()
		if second["request_id"] == first["request_id"] {
			t.Error("the request kept its id")
		}
		b.answer(second, obj{"behavior": "allow"})
		if r := b.result(); r["resume_reason"] != "power cut" {
			t.Errorf("result = %v", r)
		}
	})
	t.Run("not after an interrupt", func(t *testing.T) {
		p := newPlace(t)
		session := newUUID()
		a := p.start(t, "--session-id", session)
		a.user("run:true")
		a.request()
		a.control("i", obj{"subtype": "interrupt"})
		a.result()
		a.kill()
		p.env = continues
		b := p.start(t, "--resume", session)
		b.control("up", obj{"subtype": "initialize"})
		b.wait("answer", is("control_response"))
		b.eof()
		b.expect("control_response")
	})
}

func TestFoldedMessageIsNotKnownAfterResume(t *testing.T) {
	p := newPlace(t)
	session := newUUID()
	a := p.start(t, "--session-id", session)
	a.user("run:true")
	q := a.request()
	uuid := a.user("echo:folded")
	a.wait("queued", is("command_lifecycle"))
	a.answer(q, obj{"behavior": "allow"})
	a.result()
	a.kill()
	if file, _ := p.transcript(session); !strings.Contains(file, `"source_uuid":"`+uuid+`"`) {
		t.Error("the folded message is not in the transcript")
	}
	b := p.start(t, "--resume", session)
	b.send(userMessage(uuid, "echo:folded"))
	b.result()
	b.eof()
	if b.lifecycles(uuid) != "queued started completed" {
		t.Errorf("lifecycle %s", b.lifecycles(uuid))
	}
}

func TestOrphanedBackgroundTask(t *testing.T) {
	p := newPlace(t)
	session := newUUID()
	a := p.start(t, "--session-id", session)
	a.user("bg:1h")
	a.result()
	p.onDisk(t, session, "fake-task")
	a.kill()
	b := p.start(t, "--resume", session)
	if r := b.result(); r["num_turns"] != 0.0 || r["result"] != "" {
		t.Errorf("result = %v", r)
	}
	b.eof()
	b.expect("task_notification init result")
}

func TestTornAndEmptyTranscripts(t *testing.T) {
	p := newPlace(t)
	session := newUUID()
	a := p.start(t, "--session-id", session)
	uuid := a.user("echo:whole")
	a.result()
	a.kill()
	path, _ := findTranscript(p.home, session)
	if err := appendFile(path, []byte(`{"type":"user","uuid":"half`)); err != nil {
		t.Fatal(err)
	}
	b := p.start(t, "--resume", session)
	b.send(userMessage(uuid, "echo:whole"))
	b.eof()
	b.expect("completed")

	empty := newUUID()
	if err := appendFile(projectDir(p.home, "/anywhere")+"/"+empty+".jsonl", []byte("garbage\n")); err != nil {
		t.Fatal(err)
	}
	if code := p.start(t, "--resume", empty).rest(); code != 1 {
		t.Errorf("exit code %d", code)
	}
}

func TestSessionIDInUse(t *testing.T) {
	p := newPlace(t)
	session := newUUID()
	a := p.start(t, "--session-id", session)
	a.user("echo:hi")
	a.result()
	a.eof()
	b := p.start(t, "--session-id", session)
	if code := b.rest(); code != 1 || len(b.seen) > 0 || !strings.Contains(b.stderr.String(), "is already in use") {
		t.Errorf("code %d, lines %s, stderr %s", code, b.story(), b.stderr.String())
	}
	c := p.start(t, "--resume", session, "--fork-session")
	c.user("echo:forked")
	if r := c.result(); r["session_id"] == session {
		t.Error("the fork has the old id")
	}
}
