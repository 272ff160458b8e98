package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"betcode/tests/kit"
)

// receiver is a server that refuses notifications until it is opened.
type receiver struct {
	mu      sync.Mutex
	open    bool
	refused int
	keys    []string // of the notices that it took
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.open || err != nil || !strings.Contains(string(body), "PERMISSION_WAITS") {
		r.refused++
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	r.keys = append(r.keys, request.Header.Get("Idempotency-Key"))
}

func (r *receiver) state() (refused int, keys []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refused, r.keys
}

// A notice that a server refuses survives SIGKILL of the daemon, and arrives.
func TestNotificationSurvivesTheDaemon(t *testing.T) {
	t.Parallel()
	hook := &receiver{}
	server := httptest.NewServer(hook)
	defer server.Close()
	s := newStory(t, binaries.fake, "BETCODE_NOTIFY_WEBHOOK="+server.URL+"/hook")
	id := session()
	c := s.converse("person", id)
	s.say(c, "run:true")
	s.wait(c, 0, kit.IsPermission)
	c.Close()
	s.eventually("the server has refused the notice", func() bool { refused, _ := hook.state(); return refused > 0 })
	s.daemon.Kill()
	hook.mu.Lock()
	hook.open = true
	hook.mu.Unlock()
	s.start()
	s.eventually("the notice arrives", func() bool { _, keys := hook.state(); return len(keys) > 0 })
	if _, keys := hook.state(); keys[0] == "" {
		t.Errorf("keys %q", keys)
	}
}
