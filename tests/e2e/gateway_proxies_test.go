package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"betcode/tests/foreignproxy"
)

// foreign runs a foreign proxy at the portal.
func (p *portal) foreign(generation int, session, token string) *foreignproxy.Proxy {
	p.Helper()
	f := foreignproxy.New(foreignproxy.Options{
		URL: p.URL, Token: &token, Generation: generation, Session: session, Name: "laptop", Directory: "/on/another/machine",
		Agent: foreignproxy.Echo, Second: unhurried, Backoff: 100 * time.Millisecond, Log: p.Logf,
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = f.Run(ctx) // the caller examines its record
	}()
	p.Cleanup(func() { cancel(); <-done })
	return f
}

// until waits for a condition on the record of a proxy.
func (p *portal) until(f *foreignproxy.Proxy, what string, done func(foreignproxy.Seen) bool) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	defer cancel()
	if err := f.Until(ctx, what, done); err != nil {
		p.Fatal(err)
	}
}

// A proxy registers with a token that a page has made; people see and steer its session. Sessions belong to
// the person of the token: other tokens of that person go on with them, and others have no access. A
// revoked token ends its connection.
func TestProxyWithToken(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	phone, desk := p.browser("phone", "control"), p.browser("desk", "control")
	tokenOf := func(made object) (secret, id string) { return made["token"].(string), made["id"].(string) }
	first, id := tokenOf(p.call(phone, http.StatusOK, http.MethodPost, "/api/proxy-tokens", object{"name": "laptop"}))
	second, _ := tokenOf(p.call(phone, http.StatusOK, http.MethodPost, "/api/proxy-tokens", object{"name": "laptop"}))
	other, _ := tokenOf(p.call(desk, http.StatusOK, http.MethodPost, "/api/proxy-tokens", object{"name": "desktop"}))

	proxied := session()
	f := p.foreign(3, proxied, first)
	p.until(f, "it is registered", func(s foreignproxy.Seen) bool { return s.Registered == 1 })
	page := p.open(phone, 3, proxied, nil)
	page.wait(`"SessionStatus"`)
	page.send(object{"type": "ClaudeInput", "content": "hello there"})
	page.wait(`"ClaudeOutput"`, "hello there")
	p.until(f, "it has the prompt", func(s foreignproxy.Seen) bool { return len(s.Inputs) == 1 })

	p.call(phone, http.StatusNoContent, http.MethodDelete, "/api/proxy-tokens/"+id, nil)
	p.until(f, "a revoked token ends the connection", func(s foreignproxy.Seen) bool { return !s.Connected && len(s.Closes) > 0 })
	for _, token := range []string{other, first, "", strings.TrimSuffix(second, second[len(second)-4:])} {
		g := p.foreign(3, proxied, token)
		p.until(g, "it is refused", func(s foreignproxy.Seen) bool { return len(s.Refused) > 0 })
	}
	again := p.foreign(2, proxied, second)
	p.until(again, "another token of the person goes on", func(s foreignproxy.Seen) bool { return s.Registered == 1 })
	if log := p.Log(); strings.Contains(log, "eyJ") {
		t.Errorf("the log has a secret: %s", log)
	}
}
