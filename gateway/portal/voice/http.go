package voice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// Server is a [Recogniser] that is an HTTP server. The audio is posted to it as it arrives; its answer has the results.
type Server struct {
	address string
	client  *http.Client
}

// NewServer returns the recogniser at a URL: https, or http on this machine. It follows no redirect and uses no proxy,
// so that speech is sent nowhere else.
func NewServer(address string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("the recogniser %q is no http or https URL", address)
	}
	if host, err := netip.ParseAddr(u.Hostname()); u.Scheme == "http" && u.Hostname() != "localhost" && (err != nil || !host.IsLoopback()) {
		return nil, fmt.Errorf("the recogniser %q is not on this machine, and there is no TLS", address)
	}
	transport := &http.Transport{
		TLSHandshakeTimeout: 10 * time.Second, MaxIdleConns: 2, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 64 << 10,
	}
	return &Server{address, &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Close closes idle connections.
func (s *Server) Close() { s.client.CloseIdleConnections() }

// Recognise implements [Recogniser].
func (s *Server) Recognise(ctx context.Context, a Audio, say func(Result)) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, io.NopCloser(a))
	if err != nil {
		return startError{err}
	}
	request.Header.Set("Content-Type", a.Type)
	request.Header.Set("Accept", "application/json, text/plain")
	request.Header.Set("User-Agent", "betcode")
	if a.Language != "" {
		request.Header.Set("Content-Language", a.Language)
	}
	answer, err := s.client.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // omit the URL, which may contain a secret
		}
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return startError{err}
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the recogniser answered %d", answer.StatusCode)
	}
	if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); kind == "application/json" {
		return values(answer.Body, say)
	}
	return results(answer.Body, say)
}

// values reads results that are JSON values, on one line or several.
func values(from io.Reader, say func(Result)) error {
	in := json.NewDecoder(&bounded{from: from, left: maxOutput})
	for range maxResults {
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if r, ok := parse(value); ok {
			say(r)
		}
	}
	return errTooMuch
}
