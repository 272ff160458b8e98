package session

import (
	"fmt"
	"strings"

	"betcode/actors/permission"
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

// connectUser connects with a token that the daemon's user has made.
func connectUser(connection, token string) messages.ConnectProxy {
	m := connect(connection, everything)
	m.Owner, m.Token = "", token
	return m
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
