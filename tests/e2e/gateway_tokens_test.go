package e2e

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// call sends a JSON body and returns the answer; the status has to be as expected.
func (p *portal) call(b *kit.Browser, want int, method, path string, body any) object {
	p.Helper()
	status, text, err := b.JSON(method, path, body)
	if err != nil || status != want {
		p.Fatalf("%s %s: %d %s %v", method, path, status, text, err)
	}
	out := object{}
	if text != "" && json.Unmarshal([]byte(text), &out) != nil {
		out["text"] = strings.TrimSpace(text)
	}
	return out
}

// People make, renew and revoke tokens of proxies at the portal; others do not see them. Such a
// token gives no right to read or steer sessions, and survives a kill of the daemon.
func TestPortalProxyTokens(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	b, other := p.browser("phone", "control"), p.browser("desk", "control")
	made := p.call(b, http.StatusOK, http.MethodPost, "/api/proxy-tokens", object{"name": "<b>laptop</b>", "expires_in_days": 2})
	secret, id := made["token"].(string), made["id"].(string)
	encoded := strings.TrimPrefix(made["init_url"].(string), p.URL+"/p/")
	told, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || string(told) != `{"t":"`+secret+`"}` || made["expires_at"] == nil {
		t.Errorf("%v: %s %v", made, told, err)
	}
	p.killDaemon()
	rows := p.call(b, http.StatusOK, http.MethodGet, "/api/proxy-tokens", nil)["tokens"].([]any)
	if len(rows) != 1 || rows[0].(map[string]any)["id"] != id || rows[0].(map[string]any)["name"] != "<b>laptop</b>" || rows[0].(map[string]any)["revoked"] != false {
		t.Errorf("%v", rows)
	}
	if rows := p.call(other, http.StatusOK, http.MethodGet, "/api/proxy-tokens", nil)["tokens"].([]any); len(rows) != 0 {
		t.Errorf("another person sees %v", rows)
	}
	p.call(other, http.StatusNotFound, http.MethodPost, "/api/proxy-tokens/"+id+"/renew", nil)
	p.call(other, http.StatusNotFound, http.MethodDelete, "/api/proxy-tokens/"+id, nil)
	for _, wrong := range []any{object{"name": ""}, object{"name": "x", "expires_in_days": 0}, object{"name": "x", "expires_in_days": -1}, "{", "[]"} {
		p.call(b, http.StatusBadRequest, http.MethodPost, "/api/proxy-tokens", wrong)
	}
	proxy := p.Browser()
	proxy.Header.Set("Authorization", "Bearer "+secret)
	if me := p.call(proxy, http.StatusOK, http.MethodGet, "/api/auth/me", nil); me["id"] != p.call(b, http.StatusOK, http.MethodGet, "/api/auth/me", nil)["id"] {
		t.Errorf("it belongs to %v", me)
	}
	p.call(proxy, http.StatusForbidden, http.MethodGet, "/api/sessions", nil)
	renewed := p.call(b, http.StatusOK, http.MethodPost, "/api/proxy-tokens/"+id+"/renew", nil)
	if renewed["id"] != id || renewed["token"] == secret {
		t.Errorf("%v", renewed)
	}
	p.call(proxy, http.StatusUnauthorized, http.MethodGet, "/api/auth/me", nil)
	p.call(b, http.StatusNoContent, http.MethodDelete, "/api/proxy-tokens/"+id, nil)
	proxy.Header.Set("Authorization", "Bearer "+renewed["token"].(string))
	p.call(proxy, http.StatusUnauthorized, http.MethodGet, "/api/auth/me", nil)
	p.call(b, http.StatusNotFound, http.MethodDelete, "/api/proxy-tokens/"+id, nil)
	if log := p.Log(); strings.Contains(log, secret) || strings.Contains(log, "eyJ") {
		t.Errorf("the log has a secret: %s", log)
	}
}

// The command line makes a token, and the address with it.
func TestGatewayToken(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	secret := strings.TrimSpace(p.cli(0, "gateway", "token", "--name", "laptop", "--days", "3"))
	b := p.Browser()
	b.Header.Set("Authorization", "Bearer "+secret)
	p.call(b, http.StatusOK, http.MethodGet, "/api/auth/me", nil)
	init := strings.TrimSpace(p.cli(0, "gateway", "token", "--url", "https://portal.example/"))
	if told, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(init, "https://portal.example/p/")); err != nil || !strings.HasPrefix(string(told), `{"t":"eyJ`) {
		t.Errorf("%s: %s %v", init, told, err)
	}
	p.cli(5, "gateway", "token", "--days", "0")
}
