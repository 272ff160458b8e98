package gateways

import (
	"fmt"
	"net/http"
	"strings"

	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// portalScenarios attack the claims of docs/security.md about the portal.
var portalScenarios = []siege.Scenario{
	{Name: "portal: pages of other sites", Attack: attackPortalBySites},
	{Name: "portal: logins", Attack: attackPortalLogins},
	{Name: "portal: forged tokens of proxies", Attack: attackPortalTokens},
	{Name: "portal: logins of devices", Attack: attackPortalDevices},
	{Name: "portal: guests", Attack: attackPortalByGuests},
	{Name: "portal: proxies without rights", Attack: attackPortalByProxies},
	{Name: "portal: proxies behind a browser", Attack: attackProxySocketBySites},
	{Name: "portal: proxies without bounds", Attack: attackPortalByGreedyProxies},
	{Name: "portal: people who may only view", Attack: attackPortalByViewers},
	{Name: "portal: requests of the API", Attack: attackPortalAPI},
	{Name: "portal: files of pages", Attack: attackPortalUploads},
	{Name: "portal: frames without bounds", Attack: attackPortalFrames},
	{Name: "portal: an agent's children", Attack: attackPortalByChildren},
}

func portal(s *siege.Siege, arguments ...string) *kit.Portal {
	p, err := s.World.Portal(arguments...)
	s.Must(err, "start the portal")
	s.Later(p.Kill)
	return p
}

// browser is a browser that has logged in with scopes.
func browser(s *siege.Siege, p *kit.Portal, scopes ...string) *kit.Browser {
	code, err := s.World.Code("person", scopes...)
	s.Must(err, "make a code")
	b := p.Browser()
	s.Must(b.Enter(code), "log in with a code")
	return b
}

func opens(s *siege.Siege, b *kit.Browser) *kit.Page {
	page, _, err := b.Open()
	s.Must(err, "open a page")
	s.Later(page.Close)
	return page
}

func sendFrame(s *siege.Siege, p *kit.Page, texts ...string) kit.AgentLine {
	l, err := p.Wait(texts...)
	s.Must(err, "wait for a frame")
	return l
}

func asks(s *siege.Siege, b *kit.Browser, method, path string) (status int, body string) {
	status, _, body, err := b.Do(method, path, "")
	s.Must(err, "ask")
	return status, body
}

// attackPortalBySites sends requests of another site's page, and under a name that resolves to this machine; also in dev mode,
// which has no logins.
func attackPortalBySites(s *siege.Siege) {
	for _, arguments := range [][]string{nil, {"--dev"}} {
		p := portal(s, arguments...)
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
				b = browser(s, p, "admin")
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
			s.Held(what+" opens no socket", status == http.StatusForbidden, "%d", status)
			status, _ = asks(s, b, http.MethodDelete, "/api/sessions/0b0e8a10-0000-4000-8000-00000000000a")
			s.Held(what+" changes nothing", status == http.StatusForbidden, "%d", status)
			if name != "no origin" {
				status, _ = asks(s, b, http.MethodGet, "/api/sessions")
				s.Held(what+" reads nothing", status == http.StatusForbidden, "%d", status)
			}
		}
		p.Kill()
	}
	for _, arguments := range [][]string{{"--dev", "--listen", "0.0.0.0:0"}, {"--listen", "0.0.0.0:0"}, {"--dev", "--url", "https://portal.example"}} {
		p, err := s.World.Portal(arguments...)
		if err == nil {
			p.Kill()
		}
		s.Held(fmt.Sprint(arguments, " does not start"), err != nil, "it does")
	}
	attackPortalOverHTTP(s)
}

// attackPortalOverHTTP asks a portal that browsers reach over HTTPS as a page that came over HTTP: any machine on the way can write it.
func attackPortalOverHTTP(s *siege.Siege) {
	p := portal(s, "--url", "https://portal.example")
	b := browser(s, p, "admin")
	b.Header.Set("Host", "portal.example")
	for scheme, served := range map[string]bool{"https": true, "http": false} {
		b.Header.Set("Origin", scheme+"://portal.example")
		page, status, err := b.Open()
		if err == nil {
			page.Close()
		}
		what := "a page over " + scheme
		s.Held(what+" and a socket", (status == http.StatusSwitchingProtocols) == served, "%d", status)
		status, _ = asks(s, b, http.MethodDelete, "/api/sessions/0b0e8a10-0000-4000-8000-00000000000a")
		s.Held(what+" and a change", (status != http.StatusForbidden) == served, "%d", status)
		status, _ = asks(s, b, http.MethodGet, "/api/sessions")
		s.Held(what+" and a list", (status == http.StatusOK) == served, "%d", status)
	}
}

// attackPortalLogins tries cookies, codes and tokens that do not count.
func attackPortalLogins(s *siege.Siege) {
	p := portal(s)
	code, err := s.World.Code("person", "admin")
	s.Must(err, "make a code")
	first, second := p.Browser(), p.Browser()
	status, err := first.Login(code)
	s.Must(err, "log in")
	s.Held("a code works", status == http.StatusSeeOther, "%d", status)
	status, err = second.Login(code)
	s.Must(err, "log in")
	s.Held("a code works once", status == http.StatusUnauthorized, "%d", status)
	good := first.Header.Get("Cookie")
	for _, cookie := range []string{"", "cc_session=", "cc_session=" + code, good + "x", good[:len(good)-1], "cc_session=0b0e8a10-0000-4000-8000-00000000000a"} {
		b := p.Browser()
		b.Header.Set("Cookie", cookie)
		status, _ := asks(s, b, http.MethodGet, "/api/sessions")
		_, opened, _ := b.Open()
		s.Held("the cookie "+cookie[:min(len(cookie), 20)]+" does not count", status == http.StatusUnauthorized && opened == status, "%d %d", status, opened)
	}
	for _, token := range []string{"x", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0."} {
		b := p.Browser()
		b.Header.Set("Authorization", "Bearer "+token)
		status, _ := asks(s, b, http.MethodGet, "/api/sessions")
		s.Held("the token "+token+" does not count", status == http.StatusUnauthorized, "%d", status)
	}
	login, _, _ := strings.Cut(strings.TrimPrefix(good, "cc_session="), ";")
	exchanged, err := p.Browser().Login(login)
	s.Must(err, "log in")
	s.Held("a login is no code", exchanged == http.StatusUnauthorized, "%d", exchanged)
	page := opens(s, first)
	s.Must(page.Register(3, "0b0e8a10-0000-4000-8000-00000000000b", nil), "register")
	sendFrame(s, page, "Access denied")
	s.Held("a page of an unknown session is closed", page.Ended(), "it is open")
	live := opens(s, first)
	status, _ = asks(s, first, http.MethodGet, "/api/auth/logout")
	s.Held("logout answers", status == http.StatusTemporaryRedirect, "%d", status)
	s.Held("its pages are closed", live.Ended(), "they are open")
	status, _ = asks(s, first, http.MethodGet, "/api/sessions")
	s.Held("the cookie ends with it", status == http.StatusUnauthorized, "%d", status)
	s.Held("the log has no secrets", !strings.Contains(p.Log(), "betcode_"), "%s", p.Log())
}
