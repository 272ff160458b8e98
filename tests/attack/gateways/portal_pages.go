package gateways

import (
	"fmt"
	"net/http"
	"os"
	"strings"

	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// attackPortalByViewers prompts, answers, interrupts, stops and deletes with the scope view.
func attackPortalByViewers(s *siege.Siege) {
	p := portal(s)
	owner, viewer := browser(s, p, "control", "approve"), browser(s, p, "view")
	id := afterTurn(s)
	mine, other := opens(s, owner), opens(s, viewer)
	for _, page := range []*kit.Page{mine, other} {
		s.Must(page.Register(3, id, nil), "register")
		sendFrame(s, page, `"HistoryBatch"`, "there is a session")
	}
	s.Must(mine.Send(map[string]any{"type": "ClaudeInput", "content": "run:touch approved.txt"}), "send")
	asked := sendFrame(s, mine, `"PermissionRequest"`)
	sendFrame(s, other, `"PermissionRequest"`)
	for _, frame := range []map[string]any{
		{"type": "PermissionResponse", "request_id": asked.Text("request_id"), "allow": true, "input": asked.Of["input"]},
		{"type": "ClaudeInput", "content": "echo:foreign"},
		{"type": "ClaudeInput", "content": "echo:foreign", "send_mode": "wiggum"},
		{"type": "StopRepeat"},
		{"type": "Interrupt"},
	} {
		s.Must(other.Send(frame), "send")
		sendFrame(s, other, "You don't have permission")
	}
	for method, path := range map[string]string{http.MethodPost: "/api/sessions/" + id + "/stop", http.MethodDelete: "/api/sessions/" + id} {
		status, _ := asks(s, viewer, method, path)
		s.Held("a viewer cannot "+method, status == http.StatusForbidden, "%d", status)
	}
	s.Held("nothing was approved", !s.Exists(s.Project("approved.txt")), "the command ran")
	s.Must(mine.Send(map[string]any{"type": "PermissionResponse", "request_id": asked.Text("request_id"), "allow": true, "input": asked.Of["input"]}), "send")
	sendFrame(s, other, "was allowed by")
	s.Held("an editor may approve", s.Becomes(func() bool { return s.Exists(s.Project("approved.txt")) }), "the command did not run")
	s.Held("nothing foreign was said", !strings.Contains(fmt.Sprint(mine.Frames), "foreign"), "%v", mine.Frames)
}

// attackPortalFrames sends frames that are too many, too large, or none.
func attackPortalFrames(s *siege.Siege) {
	p := portal(s)
	b := browser(s, p, "control")
	for _, frame := range []string{"nonsense", "[]", `{"type":"ClaudeInput"}`, strings.Repeat("[", 1<<20), `{"type":"Register","session_id":7}`} {
		page := opens(s, b)
		s.Must(page.Send(frame), "send")
		sendFrame(s, page, "Invalid message")
	}
	binary := opens(s, b)
	s.Must(binary.Speak([]byte(`{"type":"Interrupt"}`)), "send")
	sendFrame(s, binary, "Invalid message: frames are text")
	large := opens(s, b)
	_ = large.Send(strings.Repeat("x", 20<<20)) // the portal hangs up in the middle of it
	s.Held("a frame of 20 MiB ends its page", large.Ended(), "it does not")
	flood := opens(s, b)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100_000 {
			if flood.Send(`{"type":"Interrupt"}`) != nil {
				return
			}
		}
	}()
	page := opens(s, b)
	s.Must(page.Send("nonsense"), "send")
	sendFrame(s, page, "Invalid message")
	flood.Close()
	<-done
	peak, err := p.Memory()
	s.Must(err, "read the portal's memory")
	s.Held("memory is bounded", peak < 256<<20, "%d MiB at most", peak>>20)
}

// attackPortalByChildren sends requests from children of an agent, in dev mode, which has no logins.
func attackPortalByChildren(s *siege.Siege) {
	p := portal(s, "--dev")
	c := s.Converse("a", siege.NewSession())
	address := strings.TrimPrefix(p.URL, "http://")
	script := fmt.Sprintf("exec 3<>/dev/tcp/%s; printf 'GET /api/sessions HTTP/1.0\\r\\nHost: %s\\r\\n\\r\\n' >&3; cat <&3 >out.part; mv out.part out.txt", strings.Replace(address, ":", "/", 1), address)
	s.Write(s.Project("ask.sh"), script+"\n")
	s.RunTurn(c, "run:bash ask.sh")
	s.Held("it ends", s.Becomes(func() bool { return s.Exists(s.Project("out.txt")) }), "there is no answer")
	s.Held("an agent's child is refused", s.Contains(s.Project("out.txt"), "403 Forbidden") && s.Contains(s.Project("out.txt"), "agents may only view"), "it is not")
	// Each connection is shared with processes that come and go, and the one that made it leaves it to another.
	forks := fmt.Sprintf("for i in {1..20}; do exec 3<>/dev/tcp/%s; (for j in {1..20}; do (:); done) & (sleep 0.01; printf 'GET /api/sessions HTTP/1.0\\r\\nHost: %s\\r\\n\\r\\n' >&3; cat <&3 >>forks.part) & exec 3>&-; (:); wait; done; mv forks.part forks.txt",
		strings.Replace(address, ":", "/", 1), address)
	s.Write(s.Project("forks.sh"), forks+"\n")
	s.RunTurn(c, "run:bash forks.sh")
	s.Held("it ends, forking", s.Becomes(func() bool { return s.Exists(s.Project("forks.txt")) }), "there is no answer")
	raw, err := os.ReadFile(s.Project("forks.txt"))
	answers, refused := string(raw), strings.Count(string(raw), "403 Forbidden")
	s.Held("an agent's child that forks is refused", refused == 20 && strings.Count(answers, "HTTP/1.0 ") == refused, "%d of 20: %v %.2000s", refused, err, answers)
	status, body := asks(s, p.Browser(), http.MethodGet, "/api/sessions")
	s.Held("a person is served", status == http.StatusOK, "%d %s", status, body)
}
