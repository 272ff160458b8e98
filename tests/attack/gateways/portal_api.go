package gateways

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// apiRequest is a request of the API that changes or reveals something.
type apiRequest struct{ method, path, body string }

// steering are the requests that steer a session, as a page sends them.
func steering(session string) []apiRequest {
	return []apiRequest{
		{http.MethodPost, "/api/sessions/" + session + "/messages", `{"role":"user","content":"echo:foreign"}`},
		{http.MethodPost, "/api/sessions/" + session + "/pause", ""},
		{http.MethodPost, "/api/sessions/" + session + "/resume", ""},
		{http.MethodPost, "/api/sessions/" + session + "/fork", "{}"},
	}
}

// administering are the requests of administrators.
func administering(session string) []apiRequest {
	return []apiRequest{
		{http.MethodGet, "/api/admin/stats", ""},
		{http.MethodGet, "/api/admin/users", ""},
		{http.MethodGet, "/api/admin/sessions", ""},
		{http.MethodPatch, "/api/admin/users/" + session, `{"is_admin":true}`},
		{http.MethodDelete, "/api/admin/sessions/" + session, ""},
	}
}

func requests(s *siege.Siege, b *kit.Browser, r apiRequest) (status int, body string) {
	status, _, body, err := b.Ask(r.method, r.path, r.body)
	s.Must(err, "ask")
	return status, body
}

// attackPortalAPI steers sessions over HTTP without a login, as another site, with too few rights, and without
// bounds.
func attackPortalAPI(s *siege.Siege) {
	p := portal(s)
	id := siege.NewSession()
	c := s.Converse("a", id)
	s.RunTurn(c, "echo:there is a session")
	c.Close()
	all := append(steering(id), administering(id)...)
	for _, r := range all {
		what := r.method + " " + strings.ReplaceAll(r.path, id, "ID")
		status, body := requests(s, p.Browser(), r)
		s.Held(what+" needs a login", status == http.StatusUnauthorized, "%d %s", status, body)
		for name, change := range map[string]http.Header{
			"another origin": {"Origin": {"https://evil.example"}}, "no origin": {"Origin": nil}, "another site": {"Sec-Fetch-Site": {"cross-site"}},
			"a rebound name": {"Origin": {"http://evil.example"}, "Host": {"evil.example"}},
		} {
			if name == "no origin" && r.method == http.MethodGet {
				continue // browsers send none with a read, and show it to no other site
			}
			b := browser(s, p, "admin")
			for key, value := range change {
				if b.Header[key] = value; value == nil {
					delete(b.Header, key)
				}
			}
			status, body := requests(s, b, r)
			s.Held(what+" is not for "+name, status == http.StatusForbidden, "%d %s", status, body)
		}
		status, body = requests(s, browser(s, p, "view"), r)
		s.Held(what+" is not for viewers", status == http.StatusForbidden, "%d %s", status, body)
	}
	for _, r := range administering(id) {
		status, body := requests(s, browser(s, p, "control", "approve"), r)
		s.Held(r.method+" "+strings.ReplaceAll(r.path, id, "ID")+" is for administrators", status == http.StatusForbidden, "%d %s", status, body)
	}
	proxyTokenIsNoLogin(s, p, all)
	guestSteersNothing(s, p, id)
	scriptsNameThisPortal(s, p)
	messagesHaveBounds(s, p, id)
	exported, _ := s.Cli("session", "export", id)
	s.Held("nothing foreign was said", !strings.Contains(exported, "foreign"), "%s", exported)
}

// proxyTokenIsNoLogin presents the token of a proxy as that of a page.
func proxyTokenIsNoLogin(s *siege.Siege, p *kit.Portal, all []apiRequest) {
	secret := proxyToken(s, "laptop")
	b := p.Browser()
	b.Header.Set("Authorization", "Bearer "+secret)
	for _, r := range all {
		status, body := requests(s, b, r)
		s.Held("a token of a proxy does not "+r.method+" "+r.path, status == http.StatusForbidden || status == http.StatusUnauthorized, "%d %s", status, body)
	}
}

// guestSteersNothing has a person with whom another session is shared try this one.
func guestSteersNothing(s *siege.Siege, p *kit.Portal, private string) {
	shared := siege.NewSession()
	c := s.Converse("b", shared)
	s.RunTurn(c, "echo:shared")
	c.Close()
	code, err := s.World.SharedCode("visitor", "control", "approve")
	s.Must(err, "make a code")
	b := p.Browser()
	s.Must(b.Enter(code), "log in as a guest")
	printed, exit := s.Cli("gateway", "share", shared, "visitor", "--role", "viewer")
	s.Held("a session is shared", exit == 0, "%s", printed)
	unknown := siege.NewSession()
	for i, r := range steering(private) {
		status, body := requests(s, b, r)
		statusUnknown, bodyUnknown := requests(s, b, steering(unknown)[i])
		s.Held("a guest gets one answer for private and unknown sessions", [2]int{status, statusUnknown} == [2]int{http.StatusNotFound, http.StatusNotFound} && body == bodyUnknown,
			"%d %s, %d %s", status, body, statusUnknown, bodyUnknown)
		status, body = requests(s, b, steering(shared)[i])
		s.Held("a guest who may view does not steer", status == http.StatusForbidden, "%d %s", status, body)
	}
	for _, r := range administering(private) {
		status, body := requests(s, b, r)
		s.Held("a guest administers nothing", status == http.StatusForbidden || status == http.StatusNotFound, "%d %s", status, body)
	}
}

// scriptsNameThisPortal has the script for machines name another server, or run something.
func scriptsNameThisPortal(s *siege.Siege, p *kit.Portal) {
	for _, address := range []string{
		"wss://evil.example", "ws://localhost.evil.example", "ws://user@localhost", "ws://localhost/'$(id)'", "ws://localhost\n/x", "ws://localhost`id`",
		"file:///etc/passwd", "javascript:alert(1)", "ws://localhost?x=';id;'", "'; id; '",
	} {
		status, body := asks(s, p.Browser(), http.MethodGet, "/api/download/install.sh?backend_url="+url.QueryEscape(address))
		s.Held(fmt.Sprintf("no script is made for %q", address), status == http.StatusBadRequest && !strings.Contains(body, "#!"), "%d %s", status, body)
	}
	b := p.Browser()
	b.Header.Set("Host", "evil.example")
	status, body := asks(s, b, http.MethodGet, "/api/download/install.sh")
	s.Held("no script is made under a rebound name", status == http.StatusForbidden, "%d %s", status, body)
}

// messagesHaveBounds posts messages that are too large, and many.
func messagesHaveBounds(s *siege.Siege, p *kit.Portal, session string) {
	b := browser(s, p, "control")
	for _, size := range []int{3<<20 + 1, 8 << 20} {
		status, body := requests(s, b, apiRequest{http.MethodPost, "/api/sessions/" + session + "/messages", `{"role":"user","content":"` + strings.Repeat("x", size) + `"}`})
		s.Held(fmt.Sprintf("a message of %d bytes is refused", size), status == http.StatusBadRequest, "%d %s", status, body)
	}
	for _, body := range []string{"", "null", "[]", `{"role":"assistant","content":"foreign"}`, `{"role":"user","content":7}`, strings.Repeat("[", 1<<20)} {
		status, told := requests(s, b, apiRequest{http.MethodPost, "/api/sessions/" + session + "/messages", body})
		s.Held(fmt.Sprintf("the body %.20q is refused", body), status == http.StatusBadRequest, "%d %s", status, told)
	}
	peak, err := p.Memory()
	s.Must(err, "read the portal's memory")
	s.Held("memory is bounded", peak < 256<<20, "%d MiB at most", peak>>20)
}
