package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// address is where the daemon listens on TCP.
func (s *story) address() string {
	s.Helper()
	address, err := s.daemon.TCPAddress()
	if err != nil {
		s.Fatal(err)
	}
	return address
}

// token creates a token and returns its file.
func (s *story) token(name string, scopes ...string) string {
	s.Helper()
	path := filepath.Join(s.world.Root, name+".token")
	args := []string{"token", "create", name, "--output", path}
	for _, scope := range scopes {
		args = append(args, "--scope", scope)
	}
	s.cli(0, args...)
	return path
}

// over returns the flags of a command that uses TCP.
func over(address, token string, more ...string) []string {
	return append([]string{"--address", address, "--token-file", token, "--socket", "/nowhere/s"}, more...)
}

// Over TCP a token determines the rights of a caller, from its creation until it is revoked. A
// caller without a token is refused; probes need none.
func TestTCP(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_LISTEN_TCP=127.0.0.1:0")
	address := s.address()
	id := session()
	c := s.converse("ann", id)
	s.say(c, "run:touch done")
	asked, next := s.wait(c, 0, kit.IsPermission)
	request := asked.GetPermissionRequest().GetRequestId()

	viewer, approver, admin := s.token("viewer", "view"), s.token("approver", "approve"), s.token("boss", "admin")
	try := func(token string, want int, args ...string) string {
		t.Helper()
		said, code := s.command(binaries.betcode, over(address, token, args...))
		if code != want {
			t.Errorf("%s, %v: exit %d, want %d: %s", filepath.Base(token), args, code, want, said)
		}
		return said
	}
	if said := try(viewer, 0, "session", "list"); !strings.Contains(said, id) {
		t.Errorf("a viewer sees %s", said)
	}
	if said := try(viewer, 3, "permission", "allow", request); !strings.Contains(said, "view") || !strings.Contains(said, "approve") {
		t.Errorf("a viewer got %s", said)
	}
	try(approver, 3, "session", "stop", id)
	try(approver, 3, "audit")
	try(approver, 0, "permission", "allow", request)
	s.wait(c, next, kit.IsIdle)
	if !s.exists("done") {
		t.Error("what was allowed over TCP did not run")
	}
	// A run over TCP is a run.
	if said := try(admin, 0, "run", "echo:hello over TCP", "--cwd", s.world.Project); !strings.Contains(said, "hello over TCP") {
		t.Errorf("said: %s", said)
	}
	// A token that is in a file open to others, and an unknown one.
	loose := filepath.Join(s.world.Root, "loose")
	if err := os.WriteFile(loose, []byte("betcode_wrong\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if said := try(loose, 5, "session", "list"); !strings.Contains(said, "read by others") {
		t.Errorf("got %s", said)
	}
	os.Chmod(loose, 0o600)
	try(loose, 3, "session", "list")
	try(loose, 0, "health")

	// The next daemon knows them, and a revoked one counts no longer.
	s.killDaemon()
	address = s.address()
	try(viewer, 0, "session", "list")
	s.cli(0, "token", "revoke", "viewer")
	try(viewer, 3, "session", "list")
	if said := s.cli(0, "token", "list"); strings.Contains(said, "viewer") || !strings.Contains(said, "approver\tview,approve\t") {
		t.Errorf("listed: %s", said)
	}
	words := types(s.audited())
	for _, want := range []string{"auth_success", "auth_failure", "admin_call", "permission_grant"} {
		if !strings.Contains(words, want) {
			t.Errorf("%s is not among %s", want, words)
		}
	}
	for _, file := range []string{viewer, approver, admin} {
		secret, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s.nowhere(strings.TrimSpace(string(secret)))
	}
}

// An agent that has got hold of a token may still only view.
func TestSelfApprovalOverTCP(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_LISTEN_TCP=127.0.0.1:0")
	token := s.token("boss", "admin")
	script := fmt.Sprintf(`#!/bin/sh
cd %q || exit
betcode() { %q --socket /nowhere/s --address %q --token-file %q "$@"; }
while [ -z "$request" ]; do request=$(betcode permission list | cut -f1 | grep -v REQUEST); sleep 0.2; done
betcode permission allow "$request" >out 2>&1
betcode token create mine --scope admin >>out 2>&1
betcode daemon stop >>out 2>&1
mv out finished
`, s.world.Project, s.world.Binary, s.address(), token)
	if err := os.WriteFile(s.file("try.sh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	c := s.converse("ann", session())
	s.say(c, `run:(env -i PATH="$PATH" HOME="$HOME" setsid -f sh try.sh </dev/null >/dev/null 2>&1 &) ; echo started`)
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "run:touch approved.txt")
	asked, next = s.wait(c, next, kit.IsPermission)
	s.waitFile("finished")
	if out, _ := os.ReadFile(s.file("finished")); strings.Count(string(out), "agents may only view") != 3 {
		t.Errorf("%s", out)
	}
	if s.exists("approved.txt") {
		t.Error("the agent approved itself")
	}
	if said, code := s.command(binaries.betcode, over(s.address(), token, "permission", "allow", asked.GetPermissionRequest().GetRequestId())); code != 0 {
		t.Errorf("a person may not: %s", said)
	}
	s.wait(c, next, kit.IsIdle)
}

// Beyond this machine a daemon listens only with TLS and a token; clients verify the certificate.
func TestTLS(t *testing.T) {
	t.Parallel()
	w, err := kit.NewWorld(binaries.betcode, binaries.fake, "BETCODE_LISTEN_TCP=127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	certificate, key := filepath.Join(w.Root, "cert.pem"), filepath.Join(w.Root, "key.pem")
	selfSigned(t, certificate, key)
	w.Extra = append(w.Extra, "BETCODE_TLS_CERT="+certificate, "BETCODE_TLS_KEY="+key)
	s := storyIn(t, w)
	token, address := s.token("boss", "admin"), s.address()
	if said, code := s.command(binaries.betcode, over(address, token, "--tls-ca", certificate, "session", "list")); code != 0 {
		t.Errorf("with its certificate: %d, %s", code, said)
	}
	for name, more := range map[string][]string{"in the clear": {"session", "list"}, "with another's": {"--tls", "session", "list"}} {
		if said, code := s.command(binaries.betcode, over(address, token, more...)); code != 2 {
			t.Errorf("%s: %d, %s", name, code, said)
		}
	}
	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	run := []string{"daemon", "run", "--listen"}
	if said, code := s.command(binaries.betcode, append(run, "0.0.0.0:0"), "BETCODE_TLS_CERT=", "BETCODE_TLS_KEY="); code != 5 || !strings.Contains(said, "in the clear") {
		t.Errorf("beyond this machine without TLS: %d, %s", code, said)
	}
	os.Chmod(key, 0o644)
	if said, code := s.command(binaries.betcode, append(run, "127.0.0.1:0")); code == 0 || !strings.Contains(said, "open to others") {
		t.Errorf("with a key that others may read: %d, %s", code, said)
	}
	os.Chmod(key, 0o600)
	s.start()
}

// selfSigned writes a certificate for 127.0.0.1 that vouches for itself.
func selfSigned(t *testing.T, certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "betcode test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, form, form, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: signed}, key: {Type: "PRIVATE KEY", Bytes: encoded},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
