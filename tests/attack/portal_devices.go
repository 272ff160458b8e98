package main

import (
	"encoding/json"
	"net/http"
	"strings"

	"betcode/tests/kit"
)

// attackPortalDevices guesses codes, approves those of others, and has other sites do it.
func attackPortalDevices(s *siege) {
	p := s.portal()
	program, ann, eve := p.Browser(), s.browser(p, "control"), s.browser(p, "control")
	program.Header.Del("Origin")
	sends := func(b *kit.Browser, path string, body map[string]string) (int, map[string]any) {
		status, text, err := b.JSON(http.MethodPost, path, body)
		s.must(err, "ask")
		var answer map[string]any
		_ = json.Unmarshal([]byte(text), &answer) // a refusal is a line of text
		return status, answer
	}
	status, begun := sends(program, "/api/auth/device/code", map[string]string{"hostname": "<img src=x onerror=alert(1)>", "working_directory": `"><script>`})
	s.held("a program gets a code", status == http.StatusOK, "%d", status)
	user, device := begun["user_code"].(string), begun["device_code"].(string)

	_, page := s.asks(ann, http.MethodGet, "/api/auth/device?user_code="+user)
	s.held("the page shows what the program says, escaped", strings.Contains(page, "&lt;img") && !strings.Contains(page, "<img") && !strings.Contains(page, "<script>"), "%s", page)
	status, _ = sends(eve, "/api/auth/device/approve", map[string]string{"user_code": user})
	s.held("another login does not approve it", status == http.StatusNotFound, "%d", status)
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
		s.held(name+" does not approve it", status == http.StatusForbidden, "%d", status)
		if name != "no origin" {
			status, _ = sends(b, "/api/auth/device/code", nil)
			s.held(name+" gets no code", status == http.StatusForbidden, "%d", status)
		}
	}
	status, polled := sends(program, "/api/auth/device/poll", map[string]string{"device_code": device})
	s.held("nothing was approved", status == http.StatusOK && polled["status"] == "pending", "%d %v", status, polled)

	viewer, err := s.world.Code("viewer", "view")
	s.must(err, "make a code")
	guest, err := s.world.SharedCode("guest", "view", "control", "approve")
	s.must(err, "make a code")
	for name, code := range map[string]string{"a viewer": viewer, "a guest": guest} {
		_, fresh := sends(program, "/api/auth/device/code", nil)
		b := p.Browser()
		_, err := b.Login(code)
		s.must(err, "log in")
		status, _ := sends(b, "/api/auth/device/approve", map[string]string{"user_code": fresh["user_code"].(string)})
		s.held(name+" approves nothing", status == http.StatusForbidden, "%d", status)
		_, polled := sends(program, "/api/auth/device/poll", map[string]string{"device_code": fresh["device_code"].(string)})
		s.held(name+" makes no token", polled["status"] == "pending", "%v", polled)
	}
	_, twice := sends(program, "/api/auth/device/code", nil)
	status, _ = sends(ann, "/api/auth/device/approve", map[string]string{"user_code": twice["user_code"].(string)})
	s.held("a person approves", status == http.StatusOK, "%d", status)
	status, _ = sends(ann, "/api/auth/device/approve", map[string]string{"user_code": twice["user_code"].(string)})
	s.held("a code is approved once", status == http.StatusNotFound, "%d", status)
	_, polled = sends(program, "/api/auth/device/poll", map[string]string{"device_code": twice["device_code"].(string)})
	s.held("the program gets the token", polled["status"] == "complete", "%v", polled)
	status, polled = sends(program, "/api/auth/device/poll", map[string]string{"device_code": twice["device_code"].(string)})
	s.held("it is given once", status == http.StatusNotFound && polled["access_token"] == nil, "%d", status)

	refused := 0
	for range 12 {
		if status, _ = sends(eve, "/api/auth/device/approve", map[string]string{"user_code": "AAA-AAA"}); status == http.StatusTooManyRequests {
			refused++
		}
	}
	s.held("a guesser is stopped", refused >= 6, "after %d guesses", 12-refused)
	many := 0
	for range 20 {
		if status, _ = sends(program, "/api/auth/device/code", nil); status == http.StatusTooManyRequests {
			many++
		}
	}
	s.held("codes of one address are limited", many >= 5, "%d of 20 refused", many)
	many = 0
	for range 60 {
		if status, _ = sends(program, "/api/auth/device/poll", map[string]string{"device_code": "x"}); status == http.StatusTooManyRequests {
			many++
		}
	}
	s.held("guesses of device codes are limited", many >= 10, "%d of 60 refused", many)
	s.held("the log has no codes", !strings.Contains(p.Log(), device) && !strings.Contains(p.Log(), user), "%s", p.Log())
}
