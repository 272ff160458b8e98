package notify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
	"betcode/supervision"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// notifier starts a program for each notice until the test ends.
func notifier(t *testing.T, environment []string, program ...string) *Notifier {
	quiet, now, crew := zerolog.Nop(), settings.Default(), supervision.NewCrew()
	now.NotifyExec = program
	workers := &act.Workers{Crew: crew}
	n := New(Deps{Settings: func() *settings.Settings { return &now }, Environment: environment, Workers: workers, Now: time.Now, Log: &quiet})
	t.Cleanup(func() {
		n.Close()
		workers.Wait()
		crew.Close()
	})
	return n
}

// A notice reaches the user's program as JSON and in its environment, which has
// nothing but what was chosen for it.
func TestNotifierStartsTheProgram(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SECRET", "1")
	n := notifier(t, []string{"DIR=" + dir, "PATH=/usr/bin:/bin"},
		"/bin/sh", "-c", `cat >"$DIR/json"; env >"$DIR/env.new"; mv "$DIR/env.new" "$DIR/env"`)
	n.Send(Notice{
		Code: "PERMISSION_REMINDER", Message: "Bash has waited", Session: "a", Name: "work",
		Details: map[string]string{"request_id": "p1", "tool": "Bash", "age": "1h"},
	})
	var environ []byte
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		var err error
		if environ, err = os.ReadFile(filepath.Join(dir, "env")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the program has not run: %v", err)
		}
	}
	for _, want := range []string{"BETCODE_EVENT=PERMISSION_REMINDER", "BETCODE_REQUEST_ID=p1", "BETCODE_TOOL=Bash", "BETCODE_AGE=1h", "BETCODE_SESSION_ID=" + "a"} {
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
	if err := json.Unmarshal(raw, &got); err != nil || got.Details["age"] != "1h" || got.Name != "work" || got.At.IsZero() {
		t.Errorf("it reads %s: %v", raw, err)
	}
}

// A program that hangs delays no notification, and the daemon does not wait for it.
func TestNotifierIsBounded(t *testing.T) {
	n := notifier(t, nil, "/bin/sh", "-c", "sleep 60")
	for range 10 * notifyWaiting { // if it waited for the program, this would last longer than the test may
		n.Send(Notice{Code: "X", Session: messages.SessionID("s")})
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, waiting := range n.waiting {
		if waiting > notifyWaiting/notifyAtOnce {
			t.Errorf("%d wait", waiting)
		}
	}
}
