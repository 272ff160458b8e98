package kit

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Browser is one browser: its cookies, and an Origin. It is used by one goroutine.
type Browser struct {
	Base   string
	Header http.Header // of every request

	client http.Client
}

// Browser returns a browser that comes from the portal's own page.
func (p *Portal) Browser() *Browser { return NewBrowser(p.URL) }

// NewBrowser returns a browser that comes from the page of a portal at that URL.
func NewBrowser(portal string) *Browser {
	b := &Browser{Base: portal, Header: http.Header{"Origin": {portal}}}
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	b.client.Timeout = patience
	return b
}

// Login tries to exchange a code for a cookie, and returns the status. A browser that has to get in uses [Browser.Enter].
func (b *Browser) Login(code string) (int, error) {
	status, header, _, err := b.Do(http.MethodPost, "/api/auth/login", url.Values{"code": {code}}.Encode())
	b.keep(header)
	return status, err
}

// Enter logs in, or returns the reason of the refusal.
func (b *Browser) Enter(code string) error {
	status, header, body, err := b.Do(http.MethodPost, "/api/auth/login", url.Values{"code": {code}}.Encode())
	if err == nil && status != http.StatusSeeOther {
		err = fmt.Errorf("the portal answers %d: %s", status, strings.TrimSpace(body))
	}
	if err != nil {
		return fmt.Errorf("log in at %s: %w", b.Base, err)
	}
	b.keep(header)
	return nil
}

// keep keeps the cookies of an answer.
func (b *Browser) keep(header http.Header) {
	for _, c := range (&http.Response{Header: header}).Cookies() {
		b.Header.Set("Cookie", c.Name+"="+c.Value)
	}
}

// Ask sends a request, with a JSON body if there is one, and returns the answer.
func (b *Browser) Ask(method, path, body string) (status int, header http.Header, answer string, err error) {
	return b.send(method, path, "application/json", body)
}

// JSON sends a request with a JSON body, text as it is, and returns the answer.
func (b *Browser) JSON(method, path string, body any) (status int, answer string, err error) {
	text, ok := body.(string)
	if !ok && body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, "", err
		}
		text = string(raw)
	}
	status, _, answer, err = b.send(method, path, "application/json", text)
	return status, answer, err
}

// Upload sends a body of a type, and returns the answer.
func (b *Browser) Upload(path, kind, content string) (status int, answer string, err error) {
	status, _, answer, err = b.send(http.MethodPost, path, kind, content)
	return status, answer, err
}

// Do sends a request with a form, if it is not empty, and returns the answer.
func (b *Browser) Do(method, path, form string) (status int, header http.Header, body string, err error) {
	return b.send(method, path, "application/x-www-form-urlencoded", form)
}

func (b *Browser) send(method, path, kind, content string) (status int, header http.Header, body string, err error) {
	r, err := http.NewRequestWithContext(context.Background(), method, b.Base+path, strings.NewReader(content))
	if err != nil {
		return 0, nil, "", err
	}
	r.Header = b.Header.Clone()
	r.Host = b.Header.Get("Host")
	if content != "" {
		r.Header.Set("Content-Type", kind)
	}
	answer, err := b.client.Do(r)
	if err != nil {
		return 0, nil, "", err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header, string(raw), err
}
