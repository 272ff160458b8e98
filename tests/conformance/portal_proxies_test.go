package conformance

import (
	"strings"

	"github.com/google/uuid"

	"betcode/tests/foreignproxy"
)

// portalProxies plays a proxy of G1, then one of G2 for heartbeats.
func portalProxies(s *stage) {
	p := s.portal()
	b := p.browser("control", "approve")
	token, err := s.world.ProxyToken("laptop")
	if err != nil || strings.Count(token, ".") != 2 || strings.Contains(token, " ") {
		s.Fatalf("no JWT: %q %v", token, err)
	}
	id := uuid.NewString()
	refused := p.dial(p.Browser(), "/ws/session")
	refused.send(proxyRegister(id, token+"x"))
	refused.next(`"RegisterAck"`, `"success":false`, "Authentication failed")
	proxy := p.dial(p.Browser(), "/ws/session")
	proxy.send(proxyRegister(id, token))
	proxy.next(`"RegisterAck"`, `"success":true`, id)
	s.shows("Authentication", "A proxy presents a JWT that the backend has stored")
	s.shows("Architecture Overview", "Proxies are served at /ws/session")
	s.shows("Session Lifecycle", "Register of a proxy", "RegisterAck")
	s.cli(0, "session", "show", id)
	s.shows("Proxy Connection", "The backend looks the session up or creates it")
	page := p.page(b, id, nil)
	page.next(`"SessionStatus"`)

	proxy.send(object{"type": "SessionUpdate", "session_id": id, "git_branch": "feature-branch"})
	page.next(`"SessionUpdate"`, "feature-branch")
	s.shows("Session Lifecycle", "SessionUpdate")

	line := foreignproxy.AssistantLine
	proxy.send(object{"type": "SequencedOutput", "seq": 1, "content": line("first")})
	proxy.next(`"OutputAck"`, `"ack_seq":1`)
	page.next(`"ClaudeOutput"`, "first")
	proxy.send(object{"type": "SequencedOutput", "seq": 1, "content": line("first")})
	proxy.next(`"OutputAck"`)
	proxy.send(object{"type": "ClaudeOutput", "content": line("loose")})
	page.next(`"ClaudeOutput"`, "loose")
	if n := page.count(`"ClaudeOutput"`, "first"); n != 1 {
		s.Errorf("a repeated line is shown %d times", n)
	}
	if n := proxy.count(`"OutputAck"`); n != 2 {
		s.Errorf("%d acknowledgements", n)
	}
	s.shows("Output Flow (proxy to backend)", "SequencedOutput is stored, then acknowledged with OutputAck", "An acknowledged number is acknowledged again and not stored")
	s.shows("Legacy Output", "ClaudeOutput has no acknowledgment")

	proxy.send(object{"type": "PermissionRequest", "request_id": "unique", "tool_name": "Bash", "input": object{"command": "ls"}, "permission_suggestions": []any{}})
	asked := page.next(`"PermissionRequest"`, `"ls"`)
	page.send(object{"type": "PermissionResponse", "request_id": asked.Text("request_id"), "allow": true, "input": asked.Of["input"], "permissions": []any{}, "reason": nil})
	if answer := proxy.next(`"PermissionResponse"`, `"allow":true`); answer.Text("request_id") != "unique" {
		s.Errorf("answered %s", answer.Raw)
	}
	s.shows("Permission Flow", "PermissionRequest is stored and reaches pages", "PermissionResponse reaches the proxy")

	page.send(object{"type": "ClaudeInput", "content": "one"})
	proxy.next(`"SequencedInput"`, `"seq":1`, `"one"`)
	proxy.Close()
	page.send(object{"type": "ClaudeInput", "content": "two"})
	s.daemon.Kill()
	s.start()
	s.cli(0, "session", "show", id)
	s.shows("Proxy Connection", "The session of a proxy that has left is kept")
	back := p.dial(p.Browser(), "/ws/session")
	back.send(proxyRegister(id, token))
	back.next(`"SequencedInput"`, `"one"`)
	back.next(`"SequencedInput"`, `"two"`)
	if first := back.Frames[0]; first.Text("type") != "RegisterAck" {
		s.Errorf("the first frame is %s", first.Raw)
	}
	s.shows("Proxy Connection", "RegisterAck comes before stored inputs")
	s.shows("Reconnection", "Messages for a proxy that is away wait for it")
	s.shows("Input Flow (frontend to backend to proxy)", "ClaudeInput gets a number and is stored", "SequencedInput is sent to the proxy", "Unacknowledged inputs are replayed on reconnect")
	back.send(object{"type": "SequencedOutput", "seq": 1, "content": line("first")})
	back.next(`"OutputAck"`)
	back.send(object{"type": "SequencedOutput", "seq": 2, "content": line("second")})
	back.next(`"OutputAck"`, `"ack_seq":2`)
	page.next("second")
	if n := page.count(`"ClaudeOutput"`, "first"); n != 1 {
		s.Errorf("a line that is sent again is shown %d times", n)
	}
	s.shows("Reconnection", "A proxy registers again and sends old outputs with their numbers")
	back.send(object{"type": "InputAck", "session_id": id, "ack_seq": 2})
	for _, text := range []string{"one", "two"} {
		back.send(object{"type": "ClaudeOutput", "content": foreignproxy.UserLine(text)})
	}
	// A prompt is shown when it is stored; the echo of the agent adds nothing.
	back.send(object{"type": "ClaudeOutput", "content": line("third")})
	page.next("third")
	for _, text := range []string{"one", "two"} {
		if n := page.count(`"type":"user"`, `"text":"`+text+`"`); n != 1 {
			s.Errorf("the prompt %q is shown %d times", text, n)
		}
	}
	back.Close()
	third := p.dial(p.Browser(), "/ws/session")
	register := proxyRegister(id, token)
	register["agent_type"], register["hostname"] = "claude", "box" // of G2, whose heartbeats are answered
	third.send(register)
	third.next(`"RegisterAck"`, `"success":true`)
	third.send(object{"type": "Heartbeat"})
	third.next(`"Heartbeat"`)
	if third.count(`"SequencedInput"`) > 0 {
		s.Errorf("acknowledged inputs are replayed")
	}
	s.shows("Input Flow (frontend to backend to proxy)", "InputAck ends an input")
	s.shows("Keep-Alive", "Heartbeat is echoed")

	_, err = p.Stop()
	s.must(err)
	third.next(`"ServerShutdown"`)
	s.shows("Server Lifecycle", "ServerShutdown reaches proxies")
}

// proxyRegister is the Register of a proxy of G1.
func proxyRegister(session, token string) object {
	return object{
		"type": "Register", "session_id": session, "session_name": "my-project", "auth_token": token, "working_directory": "/", "resuming": false,
		"git_branch": "main", "replay_after": nil, "client_version": "1.0.0",
	}
}
