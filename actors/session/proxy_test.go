package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"betcode/actors/permission"
	"betcode/actors/session/prompts"
	"betcode/actors/session/proxied"
	"betcode/messages"
)

// showProxyEvent writes what a proxy is told in a few words.
func showProxyEvent(e messages.ProxyEvent) string {
	switch e := e.(type) {
	case messages.ProxyInput:
		return fmt.Sprintf("input %d %s", e.Number, e.Content)
	case messages.ProxyDecision:
		if e.Allow {
			return fmt.Sprintf("allow %s %s", e.Request, e.Input)
		}
		return fmt.Sprintf("deny %s %s", e.Request, e.Reason)
	case messages.ProxyInterrupt:
		return "interrupt"
	case messages.ProxyTerminate:
		return "terminate"
	}
	return fmt.Sprintf("%T", e)
}

// everything is what the newest proxies can do, nothing what the oldest can.
var (
	everything = messages.ProxyAbilities{AcknowledgesFromAgent: true, IgnoresLateDecisions: true, Interrupts: true, Terminates: true}
	nothing    = messages.ProxyAbilities{}
)

func connect(connection string, abilities messages.ProxyAbilities) messages.ConnectProxy {
	return messages.ConnectProxy{
		Session: sessionA, Owner: "laptop", Connection: connection, Name: "work", WorkingDirectory: "/elsewhere", Host: "host", Agent: "claude", Abilities: abilities,
	}
}

func frames(connection string, frames ...messages.ProxyFrame) messages.TakeProxyFrames {
	return messages.TakeProxyFrames{Session: sessionA, Connection: connection, Frames: frames}
}

func proxyLine(seq uint64, line string) messages.ProxyLine {
	return messages.ProxyLine{Seq: seq, Counted: true, Line: []byte(line)}
}

func lineOfPrompt(text string) string {
	return `{"message":{"content":[{"text":"` + text + `","type":"text"}]},"type":"user"}`
}

func lineOfText(id, text string) string {
	return `{"message":{"content":[{"text":"` + text + `","type":"text"}],"id":"` + id + `","role":"assistant"},"type":"assistant"}`
}

const (
	lineOfTurn   = `{"subtype":"init","type":"system","model":"opus","session_id":"6f1c2a34-0000-4000-8000-000000000001"}`
	lineOfResult = `{"is_error":false,"result":"ok","subtype":"success","type":"result","session_id":"6f1c2a34-0000-4000-8000-000000000001"}`
)

func asked(id string) messages.ProxyAsked {
	return messages.ProxyAsked{Request: messages.RequestID(id), Tool: "Bash", Input: []byte(`{"command":"make"}`)}
}

// decides answers a request as its actor does.
func decides(b *bench, id messages.RequestID, decision messages.Decision) {
	b.tell(permission.Decided{PermissionDecided: messages.PermissionDecided{Answer: messages.AnswerPermission{Session: sessionA, Client: "ann", Request: id, Decision: decision}, By: "ann", At: b.now}})
}

// proxying is a bench whose proxied session has a connection c1.
func proxying(t tester, abilities messages.ProxyAbilities) *bench {
	b := newBench(t)
	b.tell(connect("c1", abilities))
	b.quiet()
	return b
}

// saying sends a message; its content is its key.
func typing(key string) messages.SendInput {
	m := input("ann", key)
	m.Content = key
	return m
}

// noticed reports whether a notice is in the history.
func (b *bench) noticed(code string) bool {
	for _, line := range b.history {
		if strings.Contains(line, "notice "+code) {
			return true
		}
	}
	return false
}

func TestProxiedTurn(t *testing.T) {
	b := newBench(t)
	b.on(connect("c1", everything), "all: 1 info", "all: notice PROXY_CONNECTED", "open c1", "to op: connected, resumed false")
	b.on(typing("k1"), "all: 2 input k1", `all: lock "ann"`, "to ann: input k1 is 2", "c1: input 1 k1")
	b.on(frames("c1", messages.ProxyInputTaken{Number: 1, ByAgent: true}), "to op: taken")
	b.on(frames("c1", proxyLine(0, lineOfTurn), proxyLine(1, lineOfPrompt("k1"))), "all: 3 info opus, 4 THINKING", "to op: taken up to 1")
	b.on(frames("c1", proxyLine(2, lineOfText("m1", "hello")), proxyLine(3, lineOfResult)),
		"all: 5 text hello, 6 *betcodev1.AgentEvent_Usage, 7 turn end_turn, 8 IDLE", "to op: taken up to 3")
	if r := b.state.record; r.Phase != messages.PhaseIdle || r.Turn || len(b.state.inputs) != 0 {
		t.Errorf("after the turn: %+v, inputs %v", r, b.state.inputs)
	}
	b.on(frames("c1", proxyLine(3, lineOfResult)), "to op: taken up to 3")
	b.on(frames("c0", proxyLine(4, lineOfTurn)), "to op: aborted")
}

// Messages wait for a connection and are sent in order. One that may have arrived on an earlier connection is sent again when the
// agent has not repeated it, and no other overtakes it.
func TestProxiedInputs(t *testing.T) {
	b := proxying(t, nothing)
	b.tell(messages.DisconnectProxy{Session: sessionA, Connection: "c1"})
	b.tell(typing("k1"))
	b.tell(typing("k2"))
	b.quiet()
	b.on(connect("c2", nothing), "all: notice PROXY_CONNECTED", "open c2", "to op: connected, resumed true", "c2: input 1 k1", "c2: input 2 k2")
	b.tell(frames("c2", messages.ProxyInputTaken{Number: 1}))
	b.quiet()
	b.on(connect("c3", nothing), "close c2: aborted", "in 1m0s session.echoDue", "in 5s session.repeatDue", "all: notice PROXY_CONNECTED", "open c3", "to op: connected, resumed true")
	b.tell(typing("k3"))
	b.quiet()
	b.on(repeatDue{"c2"})
	b.on(repeatDue{"c3"}, "c3: input 2 k2", "c3: input 3 k3")
	b.crash()
	b.quiet()
	b.on(connect("c4", nothing), "in 1m0s session.echoDue", "in 5s session.repeatDue", "all: notice PROXY_CONNECTED", "open c4", "to op: connected, resumed true")
	b.tell(frames("c4", proxyLine(0, lineOfTurn), proxyLine(1, lineOfPrompt("k1"))))
	b.quiet()
	b.on(repeatDue{"c4"}) // they may wait in the agent's queue
	b.on(frames("c4", proxyLine(2, lineOfResult)),
		"all: 7 text ok, 8 *betcodev1.AgentEvent_Usage, 9 turn end_turn, 10 THINKING", "in 5s session.repeatDue", "to op: taken up to 2")
	b.on(frames("c4", proxyLine(3, lineOfPrompt("k2"))), "to op: taken up to 3")
	b.on(repeatDue{"c4"}, "c4: input 3 k3")
	b.on(repeatDue{"c4"})
}

// A message that may have arrived waits longer for an agent that starts, and for one that was slow to repeat an earlier message.
func TestProxiedInputOfASlowAgent(t *testing.T) {
	b := proxying(t, nothing)
	again := func(connection, wait string) {
		t.Helper()
		b.quiet()
		b.tell(connect(connection, nothing))
		if said := strings.Join(b.quiet(), "\n"); !strings.Contains(said, "in "+wait+" session.repeatDue") {
			t.Errorf("%s:\n%s", connection, said)
		}
	}
	b.tell(typing("k1"))
	again("c2", "30s")
	b.tell(frames("c2", proxyLine(0, lineOfTurn), proxyLine(1, lineOfPrompt("k1")), proxyLine(2, lineOfResult)))
	b.tell(typing("k2"))
	again("c3", "5s")
	b.tell(frames("c3", proxyLine(3, lineOfTurn), proxyLine(4, lineOfPrompt("k2")), proxyLine(5, lineOfResult)))
	b.tell(typing("k3"))
	b.now = b.now.Add(8 * time.Second)
	b.tell(frames("c3", proxyLine(6, lineOfTurn), proxyLine(7, lineOfPrompt("k3")), proxyLine(8, lineOfResult)))
	b.tell(typing("k4"))
	again("c4", "16s")
	b.on(repeatDue{"c4"}, "c4: input 4 k4")
}

// A message that the proxy has acknowledged and the agent never repeats is reported as lost, and not sent again.
func TestProxiedInputLost(t *testing.T) {
	b := proxying(t, nothing)
	b.tell(typing("k1"))
	b.tell(typing("k2"))
	b.tell(frames("c1", messages.ProxyInputTaken{Number: 2}))
	b.quiet()
	b.tell(frames("c1", proxyLine(0, lineOfTurn), proxyLine(1, lineOfPrompt("k2"))))
	if !b.noticed("INPUT_LOST") || b.state.inputs.Has("k1") || !b.state.inputs.Has("k2") {
		t.Errorf("inputs %v", b.state.inputs)
	}
	b.tell(frames("c1", proxyLine(2, lineOfResult)))
	if len(b.state.inputs) != 0 {
		t.Errorf("inputs %v", b.state.inputs)
	}
	b.tell(typing("k3"))
	b.tell(frames("c1", messages.ProxyInputTaken{Number: 3}))
	b.tell(echoDue{"c1", 2})
	b.tell(echoDue{"c0", 3})
	if !b.state.inputs.Has("k3") {
		t.Error("k3 is lost too early")
	}
	b.tell(echoDue{"c1", 3})
	if b.state.inputs.Has("k3") || b.state.busy() {
		t.Errorf("inputs %v", b.state.inputs)
	}
}

// An answer goes to the proxy once, always with the input, and only to the newest request.
func TestProxiedPermission(t *testing.T) {
	b := proxying(t, everything)
	b.tell(frames("c1", proxyLine(0, lineOfTurn), asked("r1")))
	b.tell(frames("c1", asked("r2"), asked("r2")))
	if _, waits := b.state.prompts.Find("r1"); waits || !b.noticed("PERMISSION_SUPERSEDED") {
		t.Error("the older request can still be answered")
	}
	b.quiet()
	decides(b, "r2", messages.AllowSession)
	if said := strings.Join(b.quiet(), "\n"); !strings.Contains(said, `c1: allow r2 {"command":"make"}`) {
		t.Errorf("said:\n%s", said)
	}
	b.tell(frames("c1", asked("r1"), asked("r2"))) // a gateway repeats what may not be stored
	if n := b.state.prompts.Len(); n != 1 {
		t.Errorf("%d requests are there", n)
	}
	b.quiet()
	b.tell(connect("c2", everything))
	if said := strings.Join(b.quiet(), "\n"); !strings.Contains(said, `c2: allow r2`) {
		t.Errorf("an unconfirmed decision is not sent again:\n%s", said)
	}
	b.tell(frames("c2", messages.ProxyDecisionTaken{Request: "r2"}))
	if n := b.state.prompts.Len(); n != 0 {
		t.Errorf("%d requests are left", n)
	}
	b.tell(frames("c2", asked("r3"), proxyLine(1, lineOfResult)))
	if n := b.state.prompts.Len(); n != 0 {
		t.Errorf("%d requests are left behind the turn", n)
	}
}

// A proxy that ends on a late decision gets none that may have arrived. One that was never sent waits for its connection.
// Requests in lines would be as many as a proxy likes, and no frame would withdraw them.
func TestProxiedRequestsInLines(t *testing.T) {
	b := proxying(t, everything)
	b.tell(typing("k1"))
	b.tell(frames("c1", messages.ProxyInputTaken{Number: 1, ByAgent: true}, proxyLine(0, lineOfTurn)))
	b.quiet()
	for n := range 300 {
		b.tell(frames("c1", proxyLine(uint64(n+1), fmt.Sprintf(
			`{"type":"control_request","request_id":"L%d","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"make"}}}`, n))))
	}
	for n, line := range []string{
		`{"type":"control_request","request_id":"x","request":{"subtype":"mcp_message"}}`,
		`{"type":"control_response","response":{"subtype":"success","request_id":"x","response":{}}}`,
		`{"type":"control_cancel_request","request_id":"p1"}`,
	} {
		b.tell(frames("c1", asked("p1"), proxyLine(uint64(n+301), line)))
	}
	if all := b.state.prompts.List(prompts.Every); len(all) != 1 || all[0].Request != "p1" {
		t.Errorf("%d requests wait", len(all))
	}
}

func TestProxiedDecisionOnce(t *testing.T) {
	b := proxying(t, nothing)
	b.tell(frames("c1", proxyLine(0, lineOfTurn), asked("r1")))
	decides(b, "r1", messages.Deny)
	b.crash()
	b.quiet()
	b.tell(connect("c2", nothing))
	if said := strings.Join(b.quiet(), "\n"); strings.Contains(said, "deny") || !strings.Contains(said, "DECISION_UNCERTAIN") {
		t.Errorf("said:\n%s", said)
	}
	b.tell(frames("c2", asked("r2")))
	b.tell(messages.DisconnectProxy{Session: sessionA, Connection: "c2"})
	decides(b, "r2", messages.Deny)
	b.crash()
	b.quiet()
	b.tell(connect("c3", nothing))
	if said := strings.Join(b.quiet(), "\n"); !strings.Contains(said, "c3: deny r2 User denied permission.") {
		t.Errorf("said:\n%s", said)
	}
}

func TestProxiedInterrupt(t *testing.T) {
	cancel := messages.CancelTurn{Session: sessionA, Client: "ann", Force: true}
	b := proxying(t, everything)
	b.tell(frames("c1", proxyLine(0, lineOfTurn)))
	b.quiet()
	b.on(cancel, "to ann: canceling, active true", "c1: interrupt")
	b.on(cancel, "to ann: canceling, active true", "c1: interrupt") // a person repeats it
	b.tell(messages.DisconnectProxy{Session: sessionA, Connection: "c1"})
	b.tell(connect("c2", everything))
	if said := strings.Join(b.quiet(), "\n"); strings.Contains(said, "interrupt") {
		t.Errorf("it is repeated by itself:\n%s", said)
	}
	b.tell(frames("c2", proxyLine(1, lineOfResult), proxyLine(2, lineOfTurn)))
	b.tell(messages.DisconnectProxy{Session: sessionA, Connection: "c2"})
	b.tell(cancel)
	b.now = b.now.Add(proxied.InterruptPatience)
	b.crash()
	b.quiet()
	b.tell(connect("c3", everything))
	if said := strings.Join(b.quiet(), "\n"); !strings.Contains(said, "c3: interrupt") {
		t.Errorf("it did not wait:\n%s", said)
	}
	b.tell(frames("c3", proxyLine(3, lineOfResult), proxyLine(4, lineOfTurn)))
	b.tell(messages.DisconnectProxy{Session: sessionA, Connection: "c3"})
	b.tell(cancel)
	b.now = b.now.Add(proxied.InterruptPatience + time.Second)
	b.quiet()
	b.tell(connect("c4", everything))
	if said := strings.Join(b.quiet(), "\n"); strings.Contains(said, "c4: interrupt") || !strings.Contains(said, "INTERRUPT_EXPIRED") {
		t.Errorf("it came too late:\n%s", said)
	}
}

// A proxy that cannot interrupt is not asked to. Messages that no proxy has can be taken back.
func TestProxiedInterruptRefused(t *testing.T) {
	cancel := messages.CancelTurn{Session: sessionA, Client: "ann", Force: true}
	b := proxying(t, nothing)
	b.tell(messages.DisconnectProxy{Session: sessionA, Connection: "c1"})
	b.tell(typing("k1"))
	b.tell(cancel)
	if len(b.state.inputs) != 0 || !b.noticed("INPUT_DROPPED") {
		t.Errorf("inputs %v", b.state.inputs)
	}
	b.tell(connect("c2", nothing))
	b.tell(frames("c2", proxyLine(0, lineOfTurn)))
	b.quiet()
	b.on(cancel, "to ann: wrong state")
}

// Only the owner may register a proxied session again, and nobody one that the daemon runs itself.
func TestProxiedOwner(t *testing.T) {
	b := proxying(t, everything)
	other := connect("c2", everything)
	other.Owner = "phone"
	b.on(other, "to op: not found SESSION_NOT_FOUND")
	b.on(messages.ReplaceProxied{Session: sessionA, Owner: "phone", By: "x"}, "to op: not found SESSION_NOT_FOUND")
	if b.state.proxy.connection != "c1" {
		t.Errorf("the connection is %q", b.state.proxy.connection)
	}
	b = newBench(t)
	b.tell(start("ann"))
	b.quiet()
	b.on(connect("c1", everything), "to op: not found SESSION_NOT_FOUND", "retire")
}

// What makes no sense for an agent under a proxy is refused; nothing of it reaches an agent.
func TestProxiedRefusals(t *testing.T) {
	b := proxying(t, everything)
	attached := typing("k1")
	attached.Attachments = []messages.Attachment{{Filename: "a", MimeType: "text/plain", Data: []byte("a")}}
	for _, m := range []any{
		messages.RestartSession{Session: sessionA},
		messages.ContinueSession{Session: sessionA},
		messages.ChangeSettings{Session: sessionA, Client: "op", Model: "opus"},
		messages.SetGrant{Session: sessionA, Tool: "Bash"},
		messages.ClearGrants{Session: sessionA},
		attached,
	} {
		b.tell(m)
		if said := strings.Join(b.quiet(), "\n"); !strings.HasSuffix(said, ": wrong state") {
			t.Errorf("%T: %s", m, said)
		}
	}
	b.on(messages.GetAbilities{Session: sessionA}, "to op: 0 commands, fresh false")
}

// What an agent under a proxy says of itself raises no alarm and asks nothing of this machine: its prompts, modes, requests and
// servers are of another one.
func TestProxiedAgentRaisesNoAlarm(t *testing.T) {
	b := proxying(t, everything)
	for n, line := range []string{
		`{"type":"system","subtype":"init","model":"opus","permissionMode":"bypassPermissions","tools":["Bash"],"mcp_servers":[{"name":"x","status":"connected"}],"claude_code_version":"2.1.0","cwd":"/etc"}`,
		`{"type":"control_response","response":{"subtype":"success","request_id":"forged","response":{}}}`,
		`{"type":"control_request","request_id":"hook","request":{"subtype":"hook_callback","callback_id":"x"}}`,
		`{"type":"command_lifecycle","command_uuid":"11111111-1111-4111-8111-111111111111","state":"queued"}`,
		`{"type":"user","isReplay":true,"uuid":"u","message":{"role":"user","content":"<bash-input>rm -rf /</bash-input>"}}`,
		`{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"x"}}]}}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}`,
		`{"type":"result","subtype":"success","is_error":false,"result":"ok","origin":""}`,
	} {
		b.tell(frames("c1", proxyLine(uint64(n), line)))
		for _, e := range b.effects {
			switch e.(type) {
			case sendToRun, spawnRun, lookTrust, lookAround, keepReport, askPool, readTranscript:
				t.Errorf("line %d: %T", n, e)
			}
		}
		b.quiet()
	}
	for _, code := range []string{"FORGED_INPUT", "FORGED_REQUEST", "SELF_APPROVED", "MODE_TAKEN_BACK", "DIRECTORY_NOT_TRUSTED"} {
		if b.noticed(code) {
			t.Errorf("there is %s", code)
		}
	}
	if r := b.state.record; r.Condition != "" || r.Turn || !b.state.active() || b.state.frozen() {
		t.Errorf("behind it: %+v", r)
	}
}

// A stop is final: the proxy is told, and cannot register the session again.
func TestProxiedStop(t *testing.T) {
	for name, abilities := range map[string]messages.ProxyAbilities{"obeys": everything, "does not": nothing} {
		b := proxying(t, abilities)
		b.tell(typing("k1"))
		b.tell(messages.StopSession{Session: sessionA})
		said := strings.Join(b.quiet(), "\n")
		if obeys := strings.Contains(said, "close c1 behind terminate"); obeys != abilities.Terminates || !strings.Contains(said, "stopped") {
			t.Errorf("%s: said:\n%s", name, said)
		}
		if b.state.active() || b.state.busy() || !b.noticed("INPUT_DROPPED") {
			t.Errorf("%s: it goes on", name)
		}
		// Frames that were under way are not those of a connection whose place another one has taken.
		b.on(frames("c1", proxyLine(1, lineOfTurn)), "to op: wrong state SESSION_CLOSED", "retire")
		b.crash()
		b.quiet()
		b.tell(connect("c2", abilities))
		if said := strings.Join(b.quiet(), "\n"); strings.Contains(said, "wrong state") == abilities.Terminates {
			t.Errorf("%s: said:\n%s", name, said)
		}
		b.tell(typing("k2"))
		if said := strings.Join(b.quiet(), "\n"); !strings.Contains(said, "wrong state") {
			t.Errorf("%s: said:\n%s", name, said)
		}
	}
}

func TestProxiedDelete(t *testing.T) {
	b := proxying(t, everything)
	b.tell(typing("k1"))
	b.tell(messages.DeleteSession{Session: sessionA})
	if said := strings.Join(b.quiet(), "\n"); !strings.Contains(said, "close c1 behind terminate") || b.state.exists {
		t.Errorf("said:\n%s", said)
	}
}

// A session that takes the place of another ends it.
func TestProxiedReplaced(t *testing.T) {
	b := proxying(t, everything)
	b.tell(messages.ReplaceProxied{Session: sessionA, Owner: "laptop", By: "b"})
	if !b.noticed("SESSION_REPLACED") || b.state.active() || b.state.record.Proxy.Ended == "" {
		t.Errorf("it goes on: %+v", b.state.record.Proxy)
	}
	b.quiet()
	b.on(messages.ReplaceProxied{Session: sessionA, Owner: "laptop", By: "b"}, "to op: done")
}

// A history is compacted without the agent, which is not ours to order about.
func TestProxiedCompaction(t *testing.T) {
	b := proxying(t, everything)
	for n := range 2 {
		key := fmt.Sprintf("k%d", n)
		b.tell(typing(key))
		b.tell(frames("c1", proxyLine(uint64(4*n), lineOfTurn), proxyLine(uint64(4*n+1), lineOfPrompt(key)),
			proxyLine(uint64(4*n+2), lineOfText(fmt.Sprintf("m%d", n), "x")), proxyLine(uint64(4*n+3), lineOfResult)))
	}
	b.quiet()
	b.tell(messages.CompactSession{Session: sessionA, Key: "c"})
	said := strings.Join(b.quiet(), "\n")
	if !strings.Contains(said, "HISTORY_COMPACTED") || strings.Contains(said, "c1:") {
		t.Errorf("said:\n%s", said)
	}
}

// The daemon ends without waiting for an agent on another machine, and an idle session needs no actor without a connection.
func TestProxiedShutdown(t *testing.T) {
	b := proxying(t, everything)
	if b.state.idle() {
		t.Error("a connected session could go")
	}
	b.tell(messages.DisconnectProxy{Session: sessionA, Connection: "c1"})
	if !b.state.idle() {
		t.Error("an idle session without a connection could not go")
	}
	b.quiet()
	b.on(EndAgent{}, "to daemon: ended")
}
