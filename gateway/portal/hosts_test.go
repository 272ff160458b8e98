package portal

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// The origin of a page of the portal is the host of the request. If browsers reach the portal over HTTPS, pages over
// HTTP are refused, since any machine in between could have written them.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		origin, host string
		open, secure bool // accepted by a portal over HTTP, and over HTTPS
	}{
		{"https://portal.example", "portal.example", true, true},
		{"https://PORTAL.example", "portal.example", true, true},
		{"https://portal.example:8443", "portal.example:8443", true, true},
		{"http://portal.example", "portal.example", true, false},
		{"http://portal.example:80", "portal.example:80", true, false},
		{"http://192.0.2.1", "192.0.2.1", true, false},
		{"http://localhost:8080", "localhost:8080", true, true}, // beside the server that has TLS
		{"http://127.0.0.1:8080", "127.0.0.1:8080", true, true},
		{"http://[::1]:8080", "[::1]:8080", true, true},
		{"http://localhost.evil.example", "localhost.evil.example", false, false},
		{"https://portal.example:444", "portal.example", false, false},
		{"https://evil.example", "portal.example", false, false},
		{"https://evil.example", "evil.example", false, false},
		{"https://portal.example@evil.example", "portal.example", false, false},
		{"ws://portal.example", "portal.example", false, false},
		{"//portal.example", "portal.example", false, false},
		{"portal.example", "portal.example", false, false},
		{"file://portal.example", "portal.example", false, false},
		{"null", "portal.example", false, false},
		{"", "portal.example", false, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = c.host
		r.Header["Origin"] = []string{c.origin}
		for secure, want := range map[bool]bool{false: c.open, true: c.secure} {
			h := hosts{names: []string{"portal.example"}, secure: secure}
			if got := h.origin(r, true); got != want {
				t.Errorf("origin %q for %q, secure %t: %t, want %t", c.origin, c.host, secure, got, want)
			}
		}
		r.Header["Origin"] = []string{"https://" + c.host, "https://" + c.host}
		if (hosts{names: []string{"portal.example"}}).origin(r, true) {
			t.Error("two origins are taken")
		}
	}
	for _, absent := range []bool{false, true} {
		if got := (hosts{}).origin(httptest.NewRequest(http.MethodGet, "/", nil), absent); got != absent {
			t.Errorf("no origin, absent %t: %t", absent, got)
		}
	}
}
