package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"betcode/messages"
)

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
	b.tell(connectUser("c1", "proxy-1"))
	b.quiet()
	b.tell(connectUser("c2", "proxy-2"))
	if b.state.proxy.connection != "c2" {
		t.Errorf("another token of the daemon's user: the connection is %q", b.state.proxy.connection)
	}
	b = newBench(t)
	b.tell(start("ann"))
	b.quiet()
	b.on(connect("c1", everything), "to op: not found SESSION_NOT_FOUND", "retire")
}

// Sessions that were registered while each token owned its sessions become the user's with the next registration.
func TestProxiedOwnerWasToken(t *testing.T) {
	before := connect("c1", everything)
	before.Owner, before.Token = "proxy-1", "proxy-1"
	b := newBench(t)
	b.tell(before)
	b.quiet()
	b.on(connectUser("c2", "proxy-2"), "to op: not found SESSION_NOT_FOUND")
	b.tell(connectUser("c3", "proxy-1"))
	if p := b.state.record.Proxy; p.Owner != "" || b.state.proxy.connection != "c3" {
		t.Errorf("owner %q, connection %q", p.Owner, b.state.proxy.connection)
	}
	b.quiet()
	b.tell(connectUser("c4", "proxy-2"))
	if b.state.proxy.connection != "c4" {
		t.Errorf("the connection is %q", b.state.proxy.connection)
	}
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
