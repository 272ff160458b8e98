package e2e

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"betcode/tests/kit"
)

// authority creates a certificate authority with a certificate for 127.0.0.1, and returns its files.
func (s *story) authority() (ca, certificate, key string) {
	s.Helper()
	made := func(template, parent *x509.Certificate, of *ecdsa.PrivateKey, by *ecdsa.PrivateKey) []byte {
		raw, err := x509.CreateCertificate(rand.Reader, template, parent, &of.PublicKey, by)
		if err != nil {
			s.Fatal(err)
		}
		return raw
	}
	write := func(name, kind string, raw []byte) string {
		path := filepath.Join(s.world.Root, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), 0o600); err != nil {
			s.Fatal(err)
		}
		return path
	}
	var keys [2]*ecdsa.PrivateKey
	for i := range keys {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			s.Fatal(err)
		}
		keys[i] = k
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "own authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "portal"}, NotBefore: root.NotBefore, NotAfter: root.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	raw, err := x509.MarshalECPrivateKey(keys[1])
	if err != nil {
		s.Fatal(err)
	}
	return write("ca.pem", "CERTIFICATE", made(root, root, keys[0], keys[0])),
		write("portal.pem", "CERTIFICATE", made(leaf, root, keys[1], keys[0])), write("portal.key", "EC PRIVATE KEY", raw)
}

// The portal with a certificate of its own: a browser logs in, and its cookie is for HTTPS only; a page opens a
// session; a proxy of another daemon registers if it trusts the authority, and otherwise prints the flag to use.
func TestPortalTLS(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	ca, certificate, key := s.authority()
	flags := []string{"gateway", "portal", "--listen", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key}
	if err := os.Chmod(key, 0o640); err != nil {
		t.Fatal(err)
	}
	s.cli(1, flags...) // others may read the key
	if err := os.Chmod(key, 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPortal(t, s, "--tls-cert", certificate, "--tls-key", key)
	if !strings.HasPrefix(p.URL, "https://") {
		t.Fatal(p.URL)
	}
	raw, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(raw)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	code, err := p.world.Code("phone", "control")
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/api/auth/login", strings.NewReader(url.Values{"code": {code}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Origin": {p.URL}, "Content-Type": {"application/x-www-form-urlencoded"}}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	cookies := answer.Cookies()
	if answer.StatusCode != http.StatusSeeOther || len(cookies) != 1 || cookies[0].Name != "__Host-cc_session" || !cookies[0].Secure || !cookies[0].HttpOnly {
		t.Fatalf("%d %v", answer.StatusCode, cookies)
	}
	session := p.begin("echo:from the terminal")
	header := http.Header{"Origin": {p.URL}, "Cookie": {cookies[0].Name + "=" + cookies[0].Value}}
	for cookie, want := range map[string]int{
		header.Get("Cookie"): http.StatusSwitchingProtocols, strings.TrimPrefix(header.Get("Cookie"), "__Host-"): http.StatusUnauthorized, header.Get("Cookie") + "A": http.StatusUnauthorized,
	} {
		socket, answer, err := websocket.Dial(t.Context(), p.URL+"/ws/client", &websocket.DialOptions{HTTPClient: client, HTTPHeader: http.Header{"Origin": {p.URL}, "Cookie": {cookie}}}) //nolint:bodyclose // the library has read it
		if answer == nil || answer.StatusCode != want {
			t.Fatalf("%s: %v %v", cookie, answer, err)
		}
		if err != nil {
			continue
		}
		page := &shown{t, &kit.Page{Socket: socket}}
		t.Cleanup(page.Close)
		if err := page.Register(3, session, nil); err != nil {
			t.Fatal(err)
		}
		page.wait(`"HistoryBatch"`, "from the terminal")
	}
	token, err := p.world.ProxyToken("laptop")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.world.Root, "token")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	other := newStory(t, binaries.fake)
	id := other.runs("echo:from afar")
	arguments := []string{"--backend-url", strings.Replace(p.URL, "https", "wss", 1), "--session", id, "--auth-token-file", file}
	distrusts, err := other.world.Proxy(arguments...)
	if err != nil {
		t.Fatal(err)
	}
	other.eventually("the proxy says what to do", func() bool { return strings.Contains(distrusts.Log(), "--backend-ca FILE") })
	distrusts.Kill()
	trusts, err := other.world.Proxy(append(arguments, "--backend-ca", ca)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(trusts.Kill)
	if err := trusts.Registered(); err != nil {
		t.Fatal(err, trusts.Log())
	}
	// Without TLS nothing is served.
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(p.URL, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = conn.Write([]byte("GET /api/health HTTP/1.0\r\n\r\n"))
	var said bytes.Buffer
	if _, err := said.ReadFrom(conn); err != nil || !strings.Contains(said.String(), "400 Bad Request") {
		t.Errorf("%q %v", said.String(), err)
	}
}
