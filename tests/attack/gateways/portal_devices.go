package gateways

import (
	"encoding/json"
	"net/http"
	"strings"

	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// attackPortalDevices guesses codes, approves those of others, and has other sites do it.
func attackPortalDevices(s *siege.Siege) {
	p := portal(s)
	program, ann, eve := p.Browser(), browser(s, p, "control"), browser(s, p, "control")
	program.Header.Del("Origin")
	sends := func(b *kit.Browser, path string, body map[string]string) (int, map[string]any) {
		status, text, err := b.JSON(http.MethodPost, path, body)
		s.Must(err, "ask")
		var answer map[string]any
		_ = json.Unmarshal([]byte(text), &answer) // a refusal is a line of text
		return status, answer
	}
	status, begun := sends(program, "/api/auth/device/code", map[string]string{"hostname": "<img src=x onerror=alert(1)>", "working_directory": `"><script>`})
	s.Held("a program gets a code", status == http.StatusOK, "%d", status)
	user, device := begun["user_code"].(string), begun["device_code"].(string)

	_, page := asks(s, ann, http.MethodGet, "/api/auth/device?user_code="+user)
	s.Held("the page shows what the program says, escaped", strings.Contains(page, "&lt;img") && !strings.Contains(page, "<img") && !strings.Contains(page, "<script>"), "%s", page)
	status, _ = sends(eve, "/api/auth/device/approve", map[string]string{"user_code": user})
	s.Held("another login does not approve it", status == http.StatusNotFound, "%d", status)
	for name, change := range map[string]http.Header{
		"no origin": {"Origin": nil}, "another origin": {"Origin": {"https://evil.example"}}, "a null origin": {"Origin": {"null"}},
		"a rebound name": {"Origin": {"http://evil.example"}, "Host": {"evil.example"}}, "another site": {"Sec-Fetch-Site": {"cross-site"}},
	} {
		b := p.Browser()
		b.Header = ann.Header.Clone()
		for key, value := range change {
			if b.Header[key] = value; value == nil {
				delete(b.Header, key)
			}
		}
		status, _ := sends(b, "/api/auth/device/approve", map[string]string{"user_code": user})
		s.Held(name+" does not approve it", status == http.StatusForbidden, "%d", status)
		if name != "no origin" {
			status, _ = sends(b, "/api/auth/device/code", nil)
			s.Held(name+" gets no code", status == http.StatusForbidden, "%d", status)
		}
	}
	status, polled := sends(program, "/api/auth/device/poll", map[string]string{"device_code": device})
	s.Held("nothing was approved", status == http.StatusOK && polled["status"] == "pending", "%d %v", status, polled)

	viewer, err := s.World.Code("viewer", "view")
	s.Must(err, "make a code")
	guest, err := s.World.SharedCode("guest", "view", "control", "approve")
	s.Must(err, "make a code")
	for name, code := range map[string]string{"a viewer": viewer, "a guest": guest} {
		_, fresh := sends(program, "/api/auth/device/code", nil)
		b := p.Browser()
		_, err := b.Login(code)
		s.Must(err, "log in")
		status, _ := sends(b, "/api/auth/device/approve", map[string]string{"user_code": fresh["user_code"].(string)})
		s.Held(name+" approves nothing", status == http.StatusForbidden, "%d", status)
		_, polled := sends(program, "/api/auth/device/poll", map[string]string{"device_code": fresh["device_code"].(string)})
		s.Held(name+" makes no token", polled["status"] == "pending", "%v", polled)
	}
	_, twice := sends(program, "/api/auth/device/code", nil)
	status, _ = sends(ann, "/api/auth/device/approve", map[string]string{"user_code": twice["user_code"].(string)})
	s.Held("a person approves", status == http.StatusOK, "%d", status)
	status, _ = sends(ann, "/api/auth/device/approve", map[string]string{"user_code": twice["user_code"].(string)})
	s.Held("a code is approved once", status == http.StatusNotFound, "%d", status)
	_, polled = sends(program, "/api/auth/device/poll", map[string]string{"device_code": twice["device_code"].(string)})
	s.Held("the program gets the token", polled["status"] == "complete", "%v", polled)
	status, polled = sends(program, "/api/auth/device/poll", map[string]string{"device_code": twice["device_code"].(string)})
	s.Held("it is given once", status == http.StatusNotFound && polled["access_token"] == nil, "%d", status)

	refused := 0
	for range 12 {
		if status, _ = sends(eve, "/api/auth/device/approve", map[string]string{"user_code": "AAA-AAA"}); status == http.StatusTooManyRequests {
			refused++
		}
	}
	s.Held("a guesser is stopped", refused >= 6, "after %d guesses", 12-refused)
	many := 0
	for range 20 {
		if status, _ = sends(program, "/api/auth/device/code", nil); status == http.StatusTooManyRequests {
			many++
		}
	}
	s.Held("codes of one address are limited", many >= 5, "%d of 20 refused", many)
	many = 0
	for range 60 {
		if status, _ = sends(program, "/api/auth/device/poll", map[string]string{"device_code": "x"}); status == http.StatusTooManyRequests {
			many++
		}
	}
	s.Held("guesses of device codes are limited", many >= 10, "%d of 60 refused", many)
	s.Held("the log has no codes", !strings.Contains(p.Log(), device) && !strings.Contains(p.Log(), user), "%s", p.Log())
}
