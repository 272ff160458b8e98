package conformance

import (
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"betcode/tests/kit"
)

// portalStories are about pages and proxies of the portal.
var portalStories = []story{
	{name: "pages of the portal", run: portalPages},
	{name: "proxies of the portal", run: portalProxies},
	{name: "dev mode of the portal", run: portalDev},
	{name: "voice of the portal", run: portalVoice},
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
	if err := b.Enter(code); err != nil {
		p.Fatal(err)
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

// count returns the number of frames so far that contain all texts.
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
