package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"betcode/gateway/portal/fragment"
	"betcode/gateway/portal/wire"
	"betcode/messages"
)

const opDial = "connect to the portal"

// Caller makes requests of one backend.
type Caller struct {
	address Address
	client  *http.Client
}

// NewCaller returns a caller. It verifies certificates, against roots if that is not nil, and
// refuses redirects, since a token is for this host only.
func NewCaller(a Address, roots *x509.CertPool) *Caller {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	transport.ResponseHeaderTimeout = dialTimeout
	transport.ForceAttemptHTTP2 = false // a WebSocket needs HTTP/1.1
	return &Caller{a, &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		return messages.Errorf(opDial, messages.Denied, "it redirects to %q, and redirects are not followed", r.URL.Host)
	}}}
}

// Dial opens /ws/session.
func (c *Caller) Dial(ctx context.Context) (Socket, error) {
	conn, answer, err := websocket.Dial(ctx, c.address.socket(), &websocket.DialOptions{HTTPClient: c.client}) //nolint:bodyclose // the library has read the body
	switch {
	case err != nil && answer != nil:
		return nil, messages.Errorf(opDial, messages.Unavailable, "%s answered with status %d", c.address.Host(), answer.StatusCode)
	case err != nil:
		return nil, unreached(opDial, err)
	}
	conn.SetReadLimit(wire.MaxFrame)
	return socket{conn}, nil
}

// unreached returns the error of a request without an answer. An untrusted certificate needs a person, so it has a
// hint.
func unreached(op string, err error) error {
	if wrong := (*tls.CertificateVerificationError)(nil); errors.As(err, &wrong) {
		return (&messages.Error{Op: op, Kind: messages.Unavailable, Err: err}).WithHint("give the authority of its certificate with --backend-ca FILE")
	}
	return fmt.Errorf("%s: %w", op, err)
}

// socket implements [Socket].
type socket struct{ *websocket.Conn }

// Read implements [Socket]. It skips binary frames.
func (s socket) Read(ctx context.Context) ([]byte, error) {
	for {
		kind, frame, err := s.Conn.Read(ctx)
		if err != nil || kind == websocket.MessageText {
			return frame, err
		}
	}
}

// Write implements [Socket].
func (s socket) Write(ctx context.Context, frame []byte) error {
	return fragment.Write(ctx, s.Conn, frame)
}

// Close implements [Socket].
func (s socket) Close() { _ = s.CloseNow() } // it may be closed already

// callTimeout bounds one call of the HTTP API.
const callTimeout = 30 * time.Second
