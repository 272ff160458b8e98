package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"betcode/messages"
)

// login runs a login at a portal that returns a code, and then answers with the statuses in turn.
func login(t *testing.T, code string, answers ...string) (token string, waits []time.Duration, shown Code, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := code
		if strings.HasSuffix(r.URL.Path, "/poll") {
			answer = answers[0]
			answers = slices.Concat(answers[1:], answers[:1])
		}
		status, body, _ := strings.Cut(answer, " ")
		w.WriteHeader(map[string]int{"200": 200, "404": 404, "429": 429, "503": 503}[status])
		_, _ = w.Write([]byte(body)) // the caller may have gone
	}))
	defer server.Close()
	a, err := ParseAddress(server.URL, false)
	if err != nil {
		t.Fatal(err)
	}
	c := NewCaller(a, nil)
	defer c.client.CloseIdleConnections()
	token, err = c.Login(t.Context(), "box", func(c Code) { shown = c }, func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	})
	return token, waits, shown, err
}

const goodCode = `200 {"device_code":"d","user_code":"ABC-DEF","verification_uri":"https://x/","expires_in":60,"interval":1}`

func TestLogin(t *testing.T) {
	t.Parallel()
	token, waits, shown, err := login(t, goodCode, `200 {"status":"pending"}`, `429 slow down`, `200 {"status":"complete","access_token":"jwt"}`)
	if err != nil || token != "jwt" || !slices.Equal(waits, []time.Duration{minInterval, minInterval, minInterval}) || shown.User != "ABC-DEF" || shown.Lifetime != time.Minute {
		t.Errorf("%q %v %+v %v", token, waits, shown, err)
	}
	for answer, kind := range map[string]messages.Kind{
		`200 {"status":"pending"}`: messages.DeadlineExceeded, `200 {"status":"expired"}`: messages.DeadlineExceeded, `404 {}`: messages.DeadlineExceeded,
		`200 {"status":"denied"}`: messages.Denied, `200 <html>`: messages.Invalid, `200 {"status":"complete"}`: messages.Unavailable, `503 x`: messages.Unavailable,
	} {
		if token, waits, _, err := login(t, goodCode, answer); messages.KindOf(err) != kind || token != "" || len(waits) > 12 {
			t.Errorf("%s: %q %d %v", answer, token, len(waits), err)
		}
	}
	for code, kind := range map[string]messages.Kind{
		`503 dev mode`: messages.Unavailable, `200 {}`: messages.Unavailable, `404 x`: messages.Unavailable, `200 nonsense`: messages.Invalid,
		`200 {"device_code":"d","user_code":"u","expires_in":9223372036854775807,"interval":-5}`: messages.Denied,
	} {
		if _, waits, shown, err := login(t, code, `200 {"status":"denied"}`); messages.KindOf(err) != kind || shown.Lifetime > maxLifetime || len(waits) > 1 {
			t.Errorf("%s: %v %v %v", code, shown, waits, err)
		}
	}
}

// A redirect is refused, since its target would get the token or the code.
func TestRedirects(t *testing.T) {
	t.Parallel()
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	a, err := ParseAddress(server.URL, false)
	if err != nil {
		t.Fatal(err)
	}
	c := NewCaller(a, nil)
	defer c.client.CloseIdleConnections()
	_, err = c.Login(t.Context(), "box", func(Code) {}, nil)
	var refused *messages.Error
	if !errors.As(err, &refused) || refused.Kind != messages.Denied {
		t.Error(err)
	}
	if _, err := c.Dial(t.Context()); err == nil {
		t.Error("the redirect is followed")
	}
	if asked {
		t.Error("the other server was asked")
	}
}
