package e2e

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"betcode/tests/foreignproxy"
	"betcode/tests/kit"
)

// program is a program without a browser: it sends no Origin and no cookie.
func (p *portal) program() *kit.Browser {
	b := p.Browser()
	b.Header.Del("Origin")
	return b
}

// A program asks for a token, a person approves it in a browser, and a proxy registers with it.
func TestDeviceLogin(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	program, phone, viewer := p.program(), p.browser("phone", "control"), p.browser("guest", "view")
	begun := p.call(program, http.StatusOK, http.MethodPost, "/api/auth/device/code", object{"hostname": "<script>alert(1)</script>\u202e", "working_directory": "/a&b"})
	deviceCode, userCode := begun["device_code"].(string), begun["user_code"].(string)
	if !regexp.MustCompile(`^[A-Z2-7]{32}$`).MatchString(deviceCode) || !regexp.MustCompile(`^[A-Z2-7]{3}-[A-Z2-7]{3}$`).MatchString(userCode) ||
		begun["verification_uri"] != p.URL+"/api/auth/device" || begun["expires_in"] != 300.0 || begun["interval"] != 5.0 {
		t.Errorf("%v", begun)
	}
	poll := func(want int) object {
		return p.call(program, want, http.MethodPost, "/api/auth/device/poll", object{"device_code": deviceCode})
	}
	if got := poll(http.StatusOK); got["status"] != "pending" {
		t.Error(got)
	}
	path := "/api/auth/device?user_code=" + url.QueryEscape(strings.ToLower(userCode))
	status, header, _, err := p.Browser().Do(http.MethodGet, path, "")
	if err != nil || status != http.StatusTemporaryRedirect || !strings.HasPrefix(header.Get("Location"), "/api/auth/device-login?device_user_code=") {
		t.Errorf("a browser without a login: %d %v %v", status, header, err)
	}
	p.call(p.Browser(), http.StatusUnauthorized, http.MethodPost, "/api/auth/device/approve", object{"user_code": userCode})
	status, _, page, err := phone.Do(http.MethodGet, path, "")
	if err != nil || status != http.StatusOK || !strings.Contains(page, userCode) || !strings.Contains(page, "/a&amp;b") || strings.Contains(page, "<script>") || strings.Contains(page, "\u202e") {
		t.Errorf("%d %s %v", status, page, err)
	}
	p.call(viewer, http.StatusNotFound, http.MethodPost, "/api/auth/device/approve", object{"user_code": userCode}) // it is phone's by now
	if got := p.call(phone, http.StatusOK, http.MethodPost, "/api/auth/device/approve", object{"user_code": userCode}); got["success"] != true {
		t.Error(got)
	}
	p.call(phone, http.StatusNotFound, http.MethodPost, "/api/auth/device/approve", object{"user_code": userCode})
	got := poll(http.StatusOK)
	if got["status"] != "complete" || got["user_id"] != p.call(phone, http.StatusOK, http.MethodGet, "/api/auth/me", nil)["id"] || !strings.HasPrefix(got["user_email"].(string), "phone@") {
		t.Errorf("%v", got)
	}
	poll(http.StatusNotFound)
	rows := p.call(phone, http.StatusOK, http.MethodGet, "/api/proxy-tokens", nil)["tokens"].([]any)
	if len(rows) != 1 || !strings.HasPrefix(rows[0].(map[string]any)["name"].(string), "Device auth 20") {
		t.Errorf("%v", rows)
	}
	f := p.foreign(3, session(), got["access_token"].(string))
	p.until(f, "it is registered", func(s foreignproxy.Seen) bool { return s.Registered == 1 })

	begun = p.call(program, http.StatusOK, http.MethodPost, "/api/auth/device/code", nil)
	deviceCode, userCode = begun["device_code"].(string), begun["user_code"].(string)
	p.call(viewer, http.StatusForbidden, http.MethodPost, "/api/auth/device/approve", object{"user_code": userCode})
	p.call(phone, http.StatusNotFound, http.MethodPost, "/api/auth/device/deny", object{"user_code": userCode})
	form := url.Values{"user_code": {userCode}}.Encode()
	if status, _, page, err := viewer.Do(http.MethodPost, "/api/auth/device/deny", form); err != nil || status != http.StatusOK || !strings.Contains(page, "Denied") {
		t.Errorf("%d %s %v", status, page, err)
	}
	if got := poll(http.StatusOK); got["status"] != "denied" {
		t.Error(got)
	}
	for _, body := range []any{"{", "[]", `{"user_code":7}`, nil} {
		p.call(phone, http.StatusBadRequest, http.MethodPost, "/api/auth/device/approve", body)
	}
	if log := p.Log(); strings.Contains(log, "eyJ") || strings.Contains(log, deviceCode) || strings.Contains(log, "script") {
		t.Errorf("the log has what it must not have: %s", log)
	}
}

// A browser that has to log in first gets to the page of its code afterwards.
func TestDeviceLoginFirst(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	b := p.Browser()
	_, _, page, err := b.Do(http.MethodGet, "/api/auth/device-login?device_user_code=%22%3E%3Cscript%3E", "")
	if err != nil || strings.Contains(page, "<script>") || !strings.Contains(page, "device_user_code") {
		t.Errorf("%s %v", page, err)
	}
	code, err := p.world.Code("phone", "control")
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{"code": {code}, "device_user_code": {"//evil.example/ABC-DEF"}}.Encode()
	status, header, _, err := b.Do(http.MethodPost, "/api/auth/login", form)
	if err != nil || status != http.StatusSeeOther || header.Get("Location") != "/api/auth/device?user_code=%2F%2Fevil.example%2FABC-DEF" {
		t.Errorf("%d %v %v", status, header, err)
	}
}
