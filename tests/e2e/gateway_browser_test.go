package e2e

import (
	"net/http"
	"net/url"
	"testing"
)

// formOrigin is the Origin that browsers give a form that a page submits to its own server. Fetch, "append
// a request Origin header": the referrer policy of the page decides, and without a referrer it is null.
func formOrigin(page http.Header, origin string) string {
	if page.Get("Referrer-Policy") == "no-referrer" {
		return "null"
	}
	return origin
}

// A browser logs in with the form that the portal shows. Its Origin is not in a test's hand: a policy of the
// page takes it away.
func TestBrowsersLogInWithTheForm(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	code, err := p.world.Code("phone", "control")
	if err != nil {
		t.Fatal(err)
	}
	b := p.Browser()
	b.Header.Del("Origin")
	status, page, _, err := b.Do(http.MethodGet, "/api/auth/login", "")
	if err != nil || status != http.StatusOK {
		t.Fatal(status, err)
	}
	b.Header.Set("Origin", formOrigin(page, p.URL))
	b.Header.Set("Sec-Fetch-Site", "same-origin")
	status, answer, text, err := b.Do(http.MethodPost, "/api/auth/login", url.Values{"code": {code}}.Encode())
	if err != nil || status != http.StatusSeeOther || len(answer["Set-Cookie"]) != 1 {
		t.Errorf("login: %d %q %v %v", status, text, answer, err)
	}
}
