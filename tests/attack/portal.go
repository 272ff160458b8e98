package main

import (
	"fmt"
	"net/http"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// portalScenarios attack what docs/security.md says of the portal.
var portalScenarios = []scenario{
	{name: "portal: pages of other sites", attack: attackPortalBySites},
	{name: "portal: logins", attack: attackPortalLogins},
	{name: "portal: forged tokens of proxies", attack: attackPortalTokens},
	{name: "portal: logins of devices", attack: attackPortalDevices},
	{name: "portal: guests", attack: attackPortalByGuests},
	{name: "portal: proxies without rights", attack: attackPortalByProxies},
	{name: "portal: proxies behind a browser", attack: attackProxySocketBySites},
	{name: "portal: proxies without bounds", attack: attackPortalByGreedyProxies},
	{name: "portal: people who may only view", attack: attackPortalByViewers},
	{name: "portal: requests of the API", attack: attackPortalAPI},
	{name: "portal: files of pages", attack: attackPortalUploads},
	{name: "portal: frames without bounds", attack: attackPortalFrames},
	{name: "portal: an agent's children", attack: attackPortalByChildren},
}

func (s *siege) portal(arguments ...string) *kit.Portal {
	p, err := s.world.Portal(arguments...)
	s.must(err, "start the portal")
	s.later(p.Kill)
	return p
}

// browser is a browser that has logged in with scopes.
func (s *siege) browser(p *kit.Portal, scopes ...string) *kit.Browser {
	code, err := s.world.Code("person", scopes...)
	s.must(err, "make a code")
	b := p.Browser()
	s.must(b.Enter(code), "log in with a code")
	return b
}

func (s *siege) opens(b *kit.Browser) *kit.Page {
	page, _, err := b.Open()
	s.must(err, "open a page")
	s.later(page.Close)
	return page
}

func (s *siege) frame(p *kit.Page, texts ...string) kit.AgentLine {
	l, err := p.Wait(texts...)
	s.must(err, "wait for a frame")
	return l
}

func (s *siege) asks(b *kit.Browser, method, path string) (status int, body string) {
	status, _, body, err := b.Do(method, path, "")
	s.must(err, "ask")
	return status, body
}

// attackPortalBySites asks as the page of another site, and under a name that points here; in dev
// mode as well, in which nobody logs in.
func attackPortalBySites(s *siege) {
	for _, arguments := range [][]string{nil, {"--dev"}} {
		p := s.portal(arguments...)
		for name, change := range map[string]http.Header{
			"no origin":        {"Origin": nil},
			"another origin":   {"Origin": {"https://evil.example"}},
			"another port":     {"Origin": {"http://127.0.0.1:1"}},
			"a null origin":    {"Origin": {"null"}},
			"two origins":      {"Origin": {p.URL, "https://evil.example"}},
			"a rebound name":   {"Origin": {"http://evil.example"}, "Host": {"evil.example"}},
			"a name with ours": {"Origin": {"http://127.0.0.1.evil.example"}, "Host": {"127.0.0.1.evil.example"}},
			"another site":     {"Sec-Fetch-Site": {"cross-site"}},
		} {
			b := p.Browser()
			if arguments == nil {
				b = s.browser(p, "admin")
			}
			for key, value := range change {
				if b.Header[key] = value; value == nil {
					delete(b.Header, key)
				}
			}
			page, status, err := b.Open()
			if err == nil {
				page.Close()
			}
			what := fmt.Sprint(name, " ", arguments)
			s.held(what+" opens no socket", status == http.StatusForbidden, "%d", status)
			status, _ = s.asks(b, http.MethodDelete, "/api/sessions/0b0e8a10-0000-4000-8000-00000000000a")
			s.held(what+" changes nothing", status == http.StatusForbidden, "%d", status)
			if name != "no origin" {
				status, _ = s.asks(b, http.MethodGet, "/api/sessions")
				s.held(what+" reads nothing", status == http.StatusForbidden, "%d", status)
			}
		}
		p.Kill()
	}
	for _, arguments := range [][]string{{"--dev", "--listen", "0.0.0.0:0"}, {"--listen", "0.0.0.0:0"}, {"--dev", "--url", "https://portal.example"}} {
		p, err := s.world.Portal(arguments...)
		if err == nil {
			p.Kill()
		}
		s.held(fmt.Sprint(arguments, " does not start"), err != nil, "it does")
	}
}

// attackPortalLogins tries cookies, codes and tokens that do not count.
func attackPortalLogins(s *siege) {
	p := s.portal()
	code, err := s.world.Code("person", "admin")
	s.must(err, "make a code")
	first, second := p.Browser(), p.Browser()
	status, err := first.Login(code)
	s.must(err, "log in")
	s.held("a code works", status == http.StatusSeeOther, "%d", status)
	status, err = second.Login(code)
	s.must(err, "log in")
	s.held("a code works once", status == http.StatusUnauthorized, "%d", status)
	good := first.Header.Get("Cookie")
	for _, cookie := range []string{"", "cc_session=", "cc_session=" + code, good + "x", good[:len(good)-1], "cc_session=0b0e8a10-0000-4000-8000-00000000000a"} {
		b := p.Browser()
		b.Header.Set("Cookie", cookie)
		status, _ := s.asks(b, http.MethodGet, "/api/sessions")
		_, opened, _ := b.Open()
		s.held("the cookie "+cookie[:min(len(cookie), 20)]+" does not count", status == http.StatusUnauthorized && opened == status, "%d %d", status, opened)
	}
	for _, token := range []string{"x", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0."} {
		b := p.Browser()
		b.Header.Set("Authorization", "Bearer "+token)
		status, _ := s.asks(b, http.MethodGet, "/api/sessions")
		s.held("the token "+token+" does not count", status == http.StatusUnauthorized, "%d", status)
	}
	login, _, _ := strings.Cut(strings.TrimPrefix(good, "cc_session="), ";")
	exchanged, err := p.Browser().Login(login)
	s.must(err, "log in")
	s.held("a login is no code", exchanged == http.StatusUnauthorized, "%d", exchanged)
	page := s.opens(first)
	s.must(page.Register(3, "0b0e8a10-0000-4000-8000-00000000000b", nil), "register")
	s.frame(page, "Access denied")
	s.held("a page of an unknown session is closed", page.Ended(), "it is open")
	live := s.opens(first)
	status, _ = s.asks(first, http.MethodGet, "/api/auth/logout")
	s.held("logout answers", status == http.StatusTemporaryRedirect, "%d", status)
	s.held("its pages are closed", live.Ended(), "they are open")
	status, _ = s.asks(first, http.MethodGet, "/api/sessions")
	s.held("the cookie ends with it", status == http.StatusUnauthorized, "%d", status)
	s.held("the log has no secrets", !strings.Contains(p.Log(), "betcode_"), "%s", p.Log())
}

// attackPortalByViewers prompts, answers, interrupts, stops and deletes with the scope view.
func attackPortalByViewers(s *siege) {
	p := s.portal()
	owner, viewer := s.browser(p, "control", "approve"), s.browser(p, "view")
	id := session()
	c := s.converse("a", id)
	s.runTurn(c, "echo:there is a session")
	c.Close()
	s.held("the lock is free", s.becomes(func() bool {
		shown, err := s.daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
		return err == nil && shown.GetClients() == 0
	}), "the stream stays attached")
	mine, other := s.opens(owner), s.opens(viewer)
	for _, page := range []*kit.Page{mine, other} {
		s.must(page.Register(3, id, nil), "register")
		s.frame(page, `"HistoryBatch"`, "there is a session")
	}
	s.must(mine.Send(map[string]any{"type": "ClaudeInput", "content": "run:touch approved.txt"}), "send")
	asked := s.frame(mine, `"PermissionRequest"`)
	s.frame(other, `"PermissionRequest"`)
	for _, frame := range []map[string]any{
		{"type": "PermissionResponse", "request_id": asked.Text("request_id"), "allow": true, "input": asked.Of["input"]},
		{"type": "ClaudeInput", "content": "echo:foreign"},
		{"type": "ClaudeInput", "content": "echo:foreign", "send_mode": "wiggum"},
		{"type": "StopRepeat"},
		{"type": "Interrupt"},
	} {
		s.must(other.Send(frame), "send")
		s.frame(other, "You don't have permission")
	}
	for method, path := range map[string]string{http.MethodPost: "/api/sessions/" + id + "/stop", http.MethodDelete: "/api/sessions/" + id} {
		status, _ := s.asks(viewer, method, path)
		s.held("a viewer cannot "+method, status == http.StatusForbidden, "%d", status)
	}
	s.held("nothing was approved", !s.exists(s.project("approved.txt")), "the command ran")
	s.must(mine.Send(map[string]any{"type": "PermissionResponse", "request_id": asked.Text("request_id"), "allow": true, "input": asked.Of["input"]}), "send")
	s.frame(other, "was allowed by")
	s.held("an editor may approve", s.becomes(func() bool { return s.exists(s.project("approved.txt")) }), "the command did not run")
	s.held("nothing foreign was said", !strings.Contains(fmt.Sprint(mine.Frames), "foreign"), "%v", mine.Frames)
}

// attackPortalFrames sends frames that are too many, too large, or none.
func attackPortalFrames(s *siege) {
	p := s.portal()
	b := s.browser(p, "control")
	for _, frame := range []string{"nonsense", "[]", `{"type":"ClaudeInput"}`, strings.Repeat("[", 1<<20), `{"type":"Register","session_id":7}`} {
		page := s.opens(b)
		s.must(page.Send(frame), "send")
		s.frame(page, "Invalid message")
	}
	large := s.opens(b)
	_ = large.Send(strings.Repeat("x", 20<<20)) // the portal hangs up in the middle of it
	s.held("a frame of 20 MiB ends its page", large.Ended(), "it does not")
	flood := s.opens(b)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100_000 {
			if flood.Send(`{"type":"Interrupt"}`) != nil {
				return
			}
		}
	}()
	page := s.opens(b)
	s.must(page.Send("nonsense"), "send")
	s.frame(page, "Invalid message")
	flood.Close()
	<-done
	peak, err := p.Memory()
	s.must(err, "read the portal's memory")
	s.held("memory is bounded", peak < 256<<20, "%d MiB at most", peak>>20)
}

// attackPortalByChildren has children of an agent ask, in dev mode, in which nobody logs in.
func attackPortalByChildren(s *siege) {
	p := s.portal("--dev")
	c := s.converse("a", session())
	address := strings.TrimPrefix(p.URL, "http://")
	script := fmt.Sprintf("exec 3<>/dev/tcp/%s; printf 'GET /api/sessions HTTP/1.0\\r\\nHost: %s\\r\\n\\r\\n' >&3; cat <&3 >out.part; mv out.part out.txt", strings.Replace(address, ":", "/", 1), address)
	s.write(s.project("ask.sh"), script+"\n")
	s.runTurn(c, "run:bash ask.sh")
	s.held("it ends", s.becomes(func() bool { return s.exists(s.project("out.txt")) }), "there is no answer")
	s.held("an agent's child is refused", s.contains(s.project("out.txt"), "403 Forbidden") && s.contains(s.project("out.txt"), "agents may only view"), "it is not")
	status, body := s.asks(p.Browser(), http.MethodGet, "/api/sessions")
	s.held("a person is served", status == http.StatusOK, "%d %s", status, body)
}
