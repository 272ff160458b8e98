package conformance

import (
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"betcode/tests/foreignproxy"
	"betcode/tests/kit"
)

// portalStories are about pages and proxies of the portal.
var portalStories = []story{
	{name: "pages of the portal", tell: portalPages},
	{name: "proxies of the portal", tell: portalProxies},
	{name: "dev mode of the portal", tell: portalDev},
	{name: "voice of the portal", tell: portalVoice},
}

// portal is the portal in front of the daemon of a story.
type portal struct {
	*stage
	*kit.Portal
}

func (s *stage) portal(arguments ...string) portal {
	s.Helper()
	p, err := s.world.Portal(arguments...)
	s.must(err)
	s.Cleanup(p.Kill)
	return portal{s, p}
}

// browser returns a browser that has logged in.
func (p portal) browser(scopes ...string) *kit.Browser {
	p.Helper()
	code, err := p.world.Code("browser", scopes...)
	p.must(err)
	b := p.Browser()
	if status, err := b.Login(code); err != nil || status != http.StatusSeeOther {
		p.Fatalf("login: %d %v", status, err)
	}
	return b
}

// seen is a WebSocket of the portal. Errors end the story.
type seen struct {
	*stage
	*kit.Page
}

func (p portal) dial(b *kit.Browser, path string) seen {
	p.Helper()
	page, status, err := b.Dial(path)
	if err != nil {
		p.Fatalf("open %s: %d %v", path, status, err)
	}
	p.Cleanup(page.Close)
	return seen{p.stage, page}
}

// page opens a page that shows a session.
func (p portal) page(b *kit.Browser, session string, more map[string]any) seen {
	p.Helper()
	s := p.dial(b, "/ws/client")
	s.send(kit.Registration(1, session, more))
	return s
}

func (s seen) send(frame any) {
	s.Helper()
	s.must(s.Send(frame))
}

func (s seen) next(texts ...string) kit.AgentLine {
	s.Helper()
	l, err := s.Page.Wait(texts...)
	s.must(err)
	return l
}

// count says how many frames so far have all texts.
func (s seen) count(texts ...string) (n int) {
	for _, f := range s.Frames {
		all := true
		for _, t := range texts {
			all = all && strings.Contains(f.Raw, t)
		}
		if all {
			n++
		}
	}
	return n
}

func portalPages(s *stage) {
	p := s.portal()
	if _, status, err := p.Browser().Dial("/ws/client"); err == nil || status != http.StatusUnauthorized {
		s.Errorf("without a cookie: %d %v", status, err)
	}
	b := p.browser("control", "approve")
	id := strings.TrimSpace(s.cli(0, "session", "new", "--cwd", s.world.Project))
	p.page(b, uuid.NewString(), nil).next(`"Error"`, "Access denied")
	page := p.page(b, id, nil)
	page.next(`"type":"SessionStatus"`, `"active"`)
	s.shows("Authentication", "A page presents a signed cookie before the upgrade")
	s.shows("Web Client Connection", "A valid cookie is needed", "Access to the session is verified")
	s.shows("Session Lifecycle", "SessionStatus")
	s.shows("Error Messages", "Error")

	page.send(object{"type": "ClaudeInput", "content": object{"type": "human", "message": "echo:from a page"}, "send_mode": "normal"})
	page.next(`"ClaudeOutput"`, "from a page", `"assistant"`)
	page.next(`"ClaudeOutput"`, `"type":"result"`)
	page.next(`"UserSpendUpdate"`, `"session_costs"`, id)
	s.shows("Send Modes", "normal")
	s.shows("Cost Tracking", "UserSpendUpdate")
	s.shows("Web Client Connection", "Live output follows")
	s.shows("Architecture Overview", "Pages are served at /ws/client", "Messages are JSON with a type")

	page.send(object{"type": "ClaudeInput", "content": "echo:DONE", "send_mode": "wiggum"})
	page.next("DONE", "Take action on the directions above until fully complete")
	page.next(`"type":"result"`, "DONE")
	s.shows("Send Modes", "wiggum")

	page.send(object{"type": "ClaudeInput", "content": "run:touch made.txt"})
	page.next(`"PermissionRequest"`, `"Bash"`)
	page.Close()
	again := p.page(b, id, map[string]any{"resuming": true})
	again.next("from a page")
	again.next(`"SessionStatus"`)
	asked := again.next(`"PermissionRequest"`)
	s.shows("Web Client Connection", "A pending request follows the history")
	s.shows("Permission Flow", "A pending request is replayed to a page that connects")
	later := p.page(b, id, map[string]any{"resuming": true, "replay_after": time.Now().UTC().Add(time.Hour).Format("2006-01-02T15:04:05.000000")})
	later.next(`"PermissionRequest"`)
	if later.count("from a page") > 0 {
		s.Errorf("replay_after did not leave out what the page has")
	}
	s.shows("Web Client Connection", "History is replayed, filtered by replay_after")
	s.shows("Session Lifecycle", "Register of a page, with replay_after")
	s.shows("Reconnection", "A page registers again with the time of its last message")
	again.send(object{"type": "PermissionResponse", "request_id": asked.Text("request_id"), "allow": true, "input": asked.Of["input"], "permissions": []any{}, "reason": nil})
	again.next(`"type":"result"`)
	_, err := p.Stop()
	s.must(err)
	later.next(`"ServerShutdown"`, `"reconnect_delay_ms"`)
	s.shows("Server Lifecycle", "ServerShutdown reaches pages")
}

func portalProxies(s *stage) {
	p := s.portal()
	b := p.browser("control", "approve")
	token, _, _ := strings.Cut(s.cli(0, "gateway", "token", "--name", "laptop"), "\n")
	if strings.Count(token, ".") != 2 {
		s.Errorf("no JWT: %s", token)
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

	line := func(text string) any { return foreignproxy.AssistantLine(text) }
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
	page.next(`"user"`, "two")
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

	_, err := p.Stop()
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

func portalDev(s *stage) {
	p := s.portal("--dev")
	id := strings.TrimSpace(s.cli(0, "session", "new", "--cwd", s.world.Project))
	p.page(p.Browser(), id, nil).next(`"SessionStatus"`)
	status, _, body, err := p.Browser().Do(http.MethodGet, "/api/auth/me", "")
	if err != nil || status != http.StatusOK || !strings.Contains(body, "testing@testing.local") {
		s.Errorf("%d %s %v", status, body, err)
	}
	proxy := p.dial(p.Browser(), "/ws/session")
	proxy.send(object{
		"type": "Register", "session_id": uuid.NewString(), "session_name": "n", "auth_token": nil, "working_directory": "/", "resuming": false,
		"git_branch": nil, "replay_after": nil, "client_version": nil,
	})
	proxy.next(`"RegisterAck"`, `"success":true`)
	s.shows("Authentication", "Dev mode needs neither")
}

func portalVoice(s *stage) {
	program := s.file("recogniser")
	s.write(program, "#!/bin/sh\nn=$(wc -c)\n[ \"$n\" -gt 0 ] || exit 1\necho \"{\\\"text\\\":\\\"heard $n\\\",\\\"final\\\":true,\\\"confidence\\\":0.9}\"\n")
	s.must(os.Chmod(program, 0o700))
	p := s.portal("--recogniser-command", program)
	id := strings.TrimSpace(s.cli(0, "session", "new", "--cwd", s.world.Project))
	b := p.browser("control")
	voice := func() seen {
		v := p.dial(b, "/ws/voice/"+id)
		v.send(object{"type": "StartVoice", "session_id": id, "language_code": "en-US"})
		return v
	}
	v := voice()
	s.must(v.Socket.Write(s.Context(), websocket.MessageBinary, make([]byte, 8192)))
	v.send(object{"type": "StopVoice", "session_id": id})
	v.next(`"Transcription"`, `"transcript":"heard 8192"`, `"is_final":true`, `"confidence":0.9`, id)
	v.next(`"VoiceEnded"`, id)
	silent := voice()
	silent.send(object{"type": "StopVoice", "session_id": id})
	silent.next(`"VoiceError"`, id)
	s.shows("Voice Input", "StartVoice and StopVoice", "Transcription", "VoiceError and VoiceEnded")
}
