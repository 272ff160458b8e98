package actors

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/actors/session"
	"betcode/messages"
)

// A notice reaches the user's program as JSON and in its environment, which has
// nothing but what was chosen for it.
func TestNotifierStartsTheProgram(t *testing.T) {
	dir := t.TempDir()
	s := raise(t, newMemoryStore(), func(o *Options) {
		o.Environment = []string{"SECRET=1"}
		o.Settings.NotifyExec = []string{"/bin/sh", "-c", `cat >"$DIR/json"; env >"$DIR/env.new"; mv "$DIR/env.new" "$DIR/env"`}
		o.NotifyEnv = []string{"DIR=" + dir, "PATH=/usr/bin:/bin"}
	})
	s.notifier.send(session.Notice{
		Code: "PERMISSION_REMINDER", Message: "Bash has waited", Session: sessionA, Name: "work",
		Details: map[string]string{"request_id": "p1", "tool": "Bash", "age": "1h"},
	})
	var environ []byte
	s.eventually("the program has run", func() bool {
		var err error
		environ, err = os.ReadFile(filepath.Join(dir, "env"))
		return err == nil
	})
	for _, want := range []string{"BETCODE_EVENT=PERMISSION_REMINDER", "BETCODE_REQUEST_ID=p1", "BETCODE_TOOL=Bash", "BETCODE_AGE=1h", "BETCODE_SESSION_ID=" + string(sessionA)} {
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
	var got session.Notice
	if err := json.Unmarshal(raw, &got); err != nil || got.Details["age"] != "1h" || got.Name != "work" || got.At.IsZero() {
		t.Errorf("it reads %s: %v", raw, err)
	}
}

// A program that hangs holds up nobody, and the daemon does not wait for it.
func TestNotifierIsBounded(t *testing.T) {
	s := raise(t, newMemoryStore(), func(o *Options) { o.Settings.NotifyExec = []string{"/bin/sh", "-c", "sleep 60"} })
	for range 10 * notifyWaiting { // if it waited for the program, this would last longer than the test may
		s.notifier.send(session.Notice{Code: "X", Session: messages.SessionID("s")})
	}
	s.notifier.mu.Lock()
	defer s.notifier.mu.Unlock()
	for _, n := range s.notifier.waiting {
		if n > notifyWaiting/notifyAtOnce {
			t.Errorf("%d wait", n)
		}
	}
}
