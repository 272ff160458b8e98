package e2e

import (
	"encoding/json"
	"net"
	"slices"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// whole lists the lines of a conversation, without deltas and cursors.
func whole(lines []kit.AgentLine) (all []string) {
	for _, l := range lines {
		switch l.Text("type") {
		case "assistant_text":
			all = append(all, "text "+l.Text("text"))
		case "tool_use", "tool_result", "permission_request":
			all = append(all, l.Text("type")+" "+l.Text("toolUseId"))
		case "result":
			all = append(all, "result "+l.Text("result"))
		case "session_status":
			all = append(all, l.Text("status"))
		}
	}
	return all
}

// The daemon is killed in the middle of a turn: its clients stay connected, and the turn goes on.
func TestGatewayDaemonKilled(t *testing.T) {
	t.Parallel()
	g := newGateway(t, newStory(t, binaries.fake))
	a := g.dial()
	g.begin(a, "s1", "echo:before\ngate:go\nrun:touch made.txt")
	a.wait("assistant_text")
	g.killDaemon()
	g.create("go")
	asked := a.wait("permission_request")
	g.killDaemon()
	a.send(object{"type": "permission_response", "sessionId": "s1", "requestId": asked.Text("requestId"), "behavior": "allow"})
	a.wait("tool_result")
	a.wait("session_status idle")
	got := whole(a.Lines)
	use := asked.Text("toolUseId")
	want := []string{
		"started", "processing", "text before", "text Open.", "tool_use " + use, "permission_request " + use, "tool_result " + use,
		"text Done: ", "result Done: ", "idle",
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
}

// The gateway is killed while a request waits: the session goes on, and its client attaches again,
// misses nothing, and answers under the old id.
func TestGatewayKilled(t *testing.T) {
	t.Parallel()
	g := newGateway(t, newStory(t, binaries.fake))
	a := g.dial()
	g.begin(a, "s1", "echo:before\nrun:touch made.txt\ngate:go\necho:after")
	a.wait("permission_request")
	a.send(object{"type": "attach_session", "sessionId": "s1", "cursors": true}) // only for the cursors
	a.wait("session_attached")
	told := len(a.Lines) - 2
	replayed := a.Lines[told]
	if !replayed.Is("permission_request") || replayed.Text("requestId") != "req_1" {
		t.Errorf("the pending request was not repeated: %s", replayed.Raw)
	}
	a.send(object{"type": "permission_response", "sessionId": "s1", "requestId": "req_1", "behavior": "allow"})
	a.wait("tool_result")
	cursor := uint64(a.wait("cursor").Of["sequence"].(float64))
	g.Kill()
	g.killDaemon()
	g.create("go")
	g.run("--on-disconnect", "keep")
	b := g.dial()
	b.send(object{"type": "attach_session", "sessionId": "s1", "fromSequence": cursor, "cursors": true})
	b.wait("session_status idle")
	got := whole(slices.Concat(a.Lines[:told], a.Lines[told+1:], b.Lines))
	for _, once := range []string{"started", "processing", "text before", "text after", "idle"} {
		if n := len(slices.DeleteFunc(slices.Clone(got), func(l string) bool { return l != once })); n != 1 {
			t.Errorf("%q came %d times: %q", once, n, got)
		}
	}
	// everything again, from the beginning, has the same lines
	c := g.dial()
	c.send(object{"type": "attach_session", "sessionId": "s1", "fromSequence": 0})
	attached := c.wait("session_attached")
	if attached.Of["owner"] != false || attached.Text("status") != "idle" {
		t.Errorf("attached %s", attached.Raw)
	}
	again := slices.DeleteFunc(whole(c.Lines), func(l string) bool { return l == "started" })
	if want := slices.DeleteFunc(slices.Clone(got), func(l string) bool { return l == "started" }); !slices.Equal(again, want) {
		t.Errorf("replayed %q, was %q", again, want)
	}
}

// A session of the gateway is an ordinary one: listed, watched, answered and prompted over gRPC.
func TestGatewaySessionIsOrdinary(t *testing.T) {
	t.Parallel()
	g := newGateway(t, newStory(t, binaries.fake))
	a := g.dial()
	g.begin(a, "my session", "run:touch made.txt")
	a.wait("permission_request")
	id := a.Lines[2].Text("claudeSessionId")
	list, err := g.daemon.Agents().ListSessions(t.Context(), &pb.ListSessionsRequest{})
	if err != nil || len(list.GetSessions()) != 1 || list.GetSessions()[0].GetId() != id || list.GetSessions()[0].GetName() != "my session" {
		t.Fatalf("sessions %v %v", list, err)
	}
	c := g.converseWith("phone", &pb.StartConversation{SessionId: id})
	asked, _ := g.wait(c, 0, kit.IsPermission)
	g.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	if result := a.wait("tool_result"); result.Of["isError"] != nil {
		t.Errorf("result %s", result.Raw)
	}
	a.wait("session_status idle")
	a.Conn.Close()
	g.eventually("the session is stopped", func() bool {
		shown, err := g.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
		return err == nil && shown.GetRun().GetState() == pb.RunState_RUN_STATE_EXITED
	})
	b := g.dial()
	b.send(object{"type": "resume_session", "sessionId": "s2", "claudeSessionId": id, "cwd": g.world.Project, "prompt": "echo:resumed"})
	if text := b.wait("assistant_text").Text("text"); text != "resumed" {
		t.Errorf("text %q", text)
	}
	b.wait("session_status idle")
	if !slices.Equal(b.Types()[:2], []string{"processing", "system"}) {
		t.Errorf("lines %v", b.Types())
	}
}

// Clients go in each way: what waits is denied and the session stopped, or kept; a client that has
// only finished writing gets the rest of its turn.
func TestGatewayDisconnect(t *testing.T) {
	t.Parallel()
	g := newGateway(t, newStory(t, binaries.fake))
	a := g.dial()
	g.begin(a, "s1", "gate:go\necho:the rest")
	a.wait("system")
	if err := a.Conn.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	g.create("go")
	a.wait("session_status idle")
	if !a.Ended() {
		t.Error("the connection stays, and nothing can come")
	}
	b := g.dial()
	g.begin(b, "s2", "run:touch made.txt")
	id := b.wait("system").Text("claudeSessionId")
	b.wait("permission_request")
	b.Conn.Close()
	c := g.converseWith("phone", &pb.StartConversation{SessionId: id})
	resolved, _ := g.wait(c, 0, func(e kit.Event) bool { return e.GetPermissionResolved() != nil })
	if resolved.GetPermissionResolved().GetDecision() != pb.PermissionDecision_DENY_WITH_INTERRUPT {
		t.Errorf("resolved %v", resolved)
	}
	g.wait(c, 0, kit.IsRun(pb.RunState_RUN_STATE_EXITED))
	if g.exists("made.txt") {
		t.Error("a denied command ran")
	}
	d := g.dial()
	g.begin(d, "s3", "gate:never")
	d.wait("system")
	if code, err := g.Stop(); code != 0 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	d.wait("session_status closed")
	if !d.Ended() {
		t.Error("a gateway that has ended has a connection")
	}
	if _, err := net.Dial("unix", g.Path); err == nil {
		t.Error("the socket is still there")
	}
}

// Text that is split inside of a character, prompts of a megabyte, and several clients at once.
func TestGatewayBytes(t *testing.T) {
	t.Parallel()
	g := newGateway(t, newStory(t, binaries.fake))
	var all []*agent
	for range 8 {
		all = append(all, g.dial())
	}
	long := strings.Repeat("€", 300_000)
	for i, a := range all {
		id := string(rune('a' + i))
		raw, err := json.Marshal(object{"type": "start_session", "sessionId": id, "cwd": g.world.Project, "prompt": "echo:" + id + long})
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, '\r', '\n')
		for at := 0; at < len(raw); at += 65537 {
			if _, err := a.Conn.Write(raw[at:min(at+65537, len(raw))]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, a := range all {
		if text := a.wait("assistant_text").Text("text"); text != string(rune('a'+i))+long {
			t.Errorf("client %d got %d bytes", i, len(text))
		}
		a.wait("session_status idle")
		for _, l := range a.Lines {
			if l.Text("sessionId") != string(rune('a'+i)) {
				t.Errorf("client %d got %s", i, l.Raw)
			}
		}
	}
}
