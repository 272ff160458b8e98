package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/foreignportal"
	"betcode/tests/foreignproxy"
)

// A page sends messages without waiting. Each becomes a prompt once, in order.
func TestMessagesOfAPageOverlap(t *testing.T) {
	t.Parallel()
	const messages = 20
	p := newPortal(t, newStory(t, binaries.fake))
	b := p.browser("phone", "control")
	for generation := 1; generation <= 3; generation++ {
		page := p.open(b, generation, p.begin("echo:hello"), nil)
		page.wait(`"SessionStatus"`)
		for n := range messages {
			page.send(object{"type": "ClaudeInput", "content": fmt.Sprintf("echo:m%d.", n)})
		}
		for n := range messages {
			page.wait(`"user"`, fmt.Sprintf(`"text":"echo:m%d."`, n))
		}
		said := ""
		for _, f := range page.Frames {
			if strings.Contains(f.Raw, `"type":"user"`) {
				said += f.Raw
			}
			if strings.Contains(f.Raw, `"Error"`) {
				t.Errorf("G%d: %s", generation, f.Raw)
			}
		}
		last := -1
		for n := range messages {
			text := fmt.Sprintf(`"text":"echo:m%d."`, n)
			at := strings.Index(said, text)
			if at <= last || strings.Count(said, text) != 1 {
				t.Errorf("G%d: message %d is said %d times, at %d", generation, n, strings.Count(said, text), at)
			}
			last = at
		}
	}
}

// An agent writes lines of unknown types, and a long standard error. Pages and foreign portals of all generations get the rest of
// the turn.
func TestGatewaysPassUnknownLines(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	b := p.browser("phone", "control")
	for generation := 1; generation <= 3; generation++ {
		q := newProxied(t, p.story, generation, "echo:hello")
		page := p.open(b, generation, q.id, nil)
		page.wait(`"SessionStatus"`)
		page.send(object{"type": "ClaudeInput", "content": "unknown-type\ngarbage\nstderr:2MB\necho:after the storm"})
		page.wait(`"ClaudeOutput"`, `"assistant"`, "after the storm")
		page.wait(`"ClaudeOutput"`, `"type":"result"`)
		s := q.until("the result", func(s foreignportal.Session) bool { return results(s) == 2 })
		if !says(s, "after the storm") {
			t.Errorf("G%d: %v", generation, s.Lines)
		}
	}
}

// A frame of a proxy comes in pieces, with a ping and the portal's own frames between them. It is one line.
func TestInputBetweenPiecesOfALine(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	secret := p.token("mine", "control")
	id := session()
	socket, _, err := websocket.Dial(t.Context(), p.URL+"/ws/session", nil) //nolint:bodyclose // the library has read it
	if err != nil {
		t.Fatal(err)
	}
	defer socket.CloseNow()
	read := func(want string) {
		t.Helper()
		_, frame, err := socket.Read(t.Context())
		if err != nil || !strings.Contains(string(frame), want) {
			t.Fatalf("%s %v, want %s", frame, err, want)
		}
	}
	register := fmt.Sprintf(`{"type":"Register","session_id":%q,"session_name":"box","auth_token":%q,"working_directory":%q,"resuming":false,"git_branch":null,"replay_after":null,"client_version":"1.0.0"}`, id, secret, p.world.Project)
	if err := socket.Write(t.Context(), websocket.MessageText, []byte(register)); err != nil {
		t.Fatal(err)
	}
	read(`"success":true`)
	raw, err := json.Marshal(object{"type": "SequencedOutput", "seq": 0, "content": foreignproxy.AssistantLine("half and half, €")})
	if err != nil {
		t.Fatal(err)
	}
	line := string(raw)
	w, err := socket.Writer(t.Context(), websocket.MessageText)
	if err != nil {
		t.Fatal(err)
	}
	c := p.converseWith("phone", &pb.StartConversation{SessionId: id})
	for i, piece := range []string{line[:len(line)/2], line[len(line)/2:]} {
		if _, err := w.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			p.say(c, "in the middle")
			read(`"in the middle"`)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	read(`"OutputAck"`)
	if got := strings.Count(p.history(id), "half and half, €"); got != 1 {
		t.Errorf("the line is there %d times", got)
	}
}

// Pages that left are forgotten: the portal has as many files open as before.
func TestPagesThatLeft(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	id := p.begin("echo:hello")
	b := p.browser("phone", "control")
	open := func() int {
		files, err := os.ReadDir(filepath.Join("/proc", fmt.Sprint(p.PID()), "fd"))
		if err != nil {
			t.Skip(err)
		}
		return len(files)
	}
	p.open(b, 3, id, nil).wait(`"SessionStatus"`)
	before := open()
	for n := range 100 {
		page := p.open(b, n%3+1, id, nil)
		page.wait(`"SessionStatus"`)
		page.Close()
	}
	p.eventually("the pages are gone", func() bool { return open() <= before+3 })
}

// A second gateway at the same path is refused, and the first one serves on. The end of the first removes its own socket only.
func TestSecondGateway(t *testing.T) {
	t.Parallel()
	g := newGateway(t, newStory(t, binaries.fake))
	if second, err := g.world.Gateway(); err == nil || !strings.Contains(err.Error(), "another gateway answers") {
		second.Kill()
		t.Errorf("a second gateway: %v", err)
	}
	path := g.world.AgentSocket()
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	second, err := g.world.Gateway()
	if err != nil {
		t.Fatal(err)
	}
	defer second.Kill()
	if code, err := g.Stop(); code != 0 || err != nil {
		t.Errorf("the first ends with %d %v", code, err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the socket of the second: %v", err)
	}
	a, err := second.Dial()
	if err != nil {
		t.Fatal(err)
	}
	defer a.Conn.Close()
	if err := a.Send(object{"type": "close_session", "sessionId": "x"}); err != nil {
		t.Fatal(err)
	}
	if l, err := a.Wait("error"); err != nil || l.Text("error") != "Session 'x' not found" {
		t.Errorf("%v %v", l, err)
	}
}

// A page gets a whole history, and the API the newest thousand lines of it.
func TestLongHistory(t *testing.T) {
	t.Parallel()
	const lines = 1200
	p := newPortal(t, newStory(t, binaries.fake))
	var prompt strings.Builder
	for n := range lines {
		fmt.Fprintf(&prompt, "echo:line%d.\n", n)
	}
	id := p.begin(prompt.String() + "echo:the end")
	b := p.browser("phone", "view")
	for generation := 1; generation <= 3; generation++ {
		page := p.open(b, generation, id, nil)
		page.wait(`"SessionStatus"`)
		var all strings.Builder
		for _, f := range page.Frames {
			all.WriteString(f.Raw)
		}
		for n := range lines {
			if got := strings.Count(all.String(), fmt.Sprintf(`"text":"line%d.`, n)); got != 1 {
				t.Fatalf("G%d: line %d is there %d times", generation, n, got)
			}
		}
	}
	answer := p.call(b, http.StatusOK, http.MethodGet, "/api/sessions/"+id+"/messages", nil)
	rows := answer["messages"].([]any)
	if last := fmt.Sprint(rows[len(rows)-2]); len(rows) != 1000 || !strings.Contains(last, "the end") || strings.Contains(fmt.Sprint(rows), "line0.") {
		t.Errorf("%d rows, the last but one is %s", len(rows), last)
	}
}
