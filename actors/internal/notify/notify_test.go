package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"betcode/actors/settings"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var reminder = Notice{
	Code: "PERMISSION_REMINDER", Message: "Bash has waited", Session: "3f2a0000-0000-4000-8000-000000000001", Name: "work",
	Details: map[string]string{"request_id": "p1", "tool": "Bash", "age": "1h"},
}

// deliver delivers the reminder over a channel.
func deliver(t *testing.T, n *Notifier, over Channel, s settings.Settings) error {
	t.Helper()
	if got := Channels(&s); len(got) != 1 || got[0] != over {
		t.Errorf("channels %v", got)
	}
	defer n.Close()
	return n.Deliver(t.Context(), &s, over, reminder, "key-1")
}

// A notice reaches the user's program as JSON and in its environment, which has only the variables chosen for it.
func TestExec(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SECRET", "1")
	n := New([]string{"DIR=" + dir, "PATH=/usr/bin:/bin"})
	err := deliver(t, n, Exec, settings.Settings{NotifyExec: []string{"/bin/sh", "-c", `cat >"$DIR/json"; env >"$DIR/env"`}})
	if err != nil {
		t.Fatal(err)
	}
	environ, err := os.ReadFile(filepath.Join(dir, "env"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"BETCODE_EVENT=PERMISSION_REMINDER", "BETCODE_REQUEST_ID=p1", "BETCODE_TOOL=Bash", "BETCODE_AGE=1h", "BETCODE_SESSION_NAME=work"} {
		if !strings.Contains(string(environ), want+"\n") {
			t.Errorf("%s is not in its environment:\n%s", want, environ)
		}
	}
	if strings.Contains(string(environ), "SECRET") {
		t.Error("it has what agents have")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "json"))
	if err != nil {
		t.Fatal(err)
	}
	var got Notice
	if err := json.Unmarshal(raw, &got); err != nil || got.Details["age"] != "1h" || got.Name != "work" {
		t.Errorf("it reads %s: %v", raw, err)
	}
	if err := deliver(t, n, Exec, settings.Settings{NotifyExec: []string{"/bin/false"}}); err == nil {
		t.Error("a program that fails has delivered")
	}
}

// A program that hangs is ended with its children when the caller's time is over.
func TestExecIsBounded(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	s := settings.Settings{NotifyExec: []string{"/bin/sh", "-c", "sleep 600"}}
	if err := New(nil).Deliver(ctx, &s, Exec, reminder, ""); err == nil {
		t.Error("it has ended well")
	}
}

// received is what a server got.
type received struct {
	path   string
	header http.Header
	body   []byte
}

// server answers with a status and keeps what it got.
func server(t *testing.T, status int, header ...string) (url string, got *received) {
	t.Helper()
	got = &received{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		*got = received{r.URL.Path, r.Header, body}
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

func secretFile(t *testing.T, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("s3cret\n"), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWebhook(t *testing.T) {
	url, got := server(t, http.StatusNoContent)
	s := settings.Settings{NotifyWebhook: url + "/hook/abc", NotifyWebhookSecret: secretFile(t, 0o600)}
	if err := deliver(t, New(nil), Webhook, s); err != nil {
		t.Fatal(err)
	}
	var n Notice
	if err := json.Unmarshal(got.body, &n); err != nil || n.Message != reminder.Message || got.path != "/hook/abc" {
		t.Errorf("%s at %s: %v", got.body, got.path, err)
	}
	sum := hmac.New(sha256.New, []byte("s3cret"))
	sum.Write(got.body)
	if want := "sha256=" + hex.EncodeToString(sum.Sum(nil)); got.header.Get("X-Betcode-Signature") != want {
		t.Errorf("signature %q, not %q", got.header.Get("X-Betcode-Signature"), want)
	}
	if got.header.Get("Idempotency-Key") != "key-1" || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("%v", got.header)
	}
}

func TestNtfy(t *testing.T) {
	url, got := server(t, http.StatusOK)
	s := settings.Settings{NotifyNtfy: url + "/agents", NotifyNtfyToken: secretFile(t, 0o600)}
	if err := deliver(t, New(nil), Ntfy, s); err != nil {
		t.Fatal(err)
	}
	var m message
	if err := json.Unmarshal(got.body, &m); err != nil || m.Topic != "agents" || m.Title != "betcode work" || m.Message != reminder.Message || m.Priority != high {
		t.Errorf("%s: %v", got.body, err)
	}
	if got.path != "/" || got.header.Get("Authorization") != "Bearer s3cret" {
		t.Errorf("%s %v", got.path, got.header)
	}
}

// The answer of the server decides; a redirect is not followed, and an error does not show the URL, which may be secret.
func TestServersThatRefuse(t *testing.T) {
	other, got := server(t, http.StatusOK)
	for status, header := range map[int][]string{500: nil, 404: nil, 302: {"Location", other}, 307: {"Location", other}} {
		url, _ := server(t, status, header...)
		err := deliver(t, New(nil), Webhook, settings.Settings{NotifyWebhook: url + "/topsecret"})
		if err == nil || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%d: %v", status, err)
		}
	}
	if got.path != "" {
		t.Error("a redirect was followed")
	}
	err := deliver(t, New(nil), Webhook, settings.Settings{NotifyWebhook: "http://127.0.0.1:1/topsecret"})
	if err == nil || strings.Contains(err.Error(), "topsecret") {
		t.Errorf("nobody listens: %v", err)
	}
}

// A secret that others can read is not used.
func TestOpenSecret(t *testing.T) {
	url, got := server(t, http.StatusOK)
	s := settings.Settings{NotifyWebhook: url, NotifyWebhookSecret: secretFile(t, 0o644)}
	if err := deliver(t, New(nil), Webhook, s); err == nil || got.path != "" {
		t.Errorf("%v, %q", err, got.path)
	}
}
