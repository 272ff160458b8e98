package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
	"betcode/tests/nodeclient"
)

// nodeClient plays scenarios of the client on Node's HTTP/2 stack.
type nodeClient struct {
	*story
	client nodeclient.Client
}

// node starts a story with a daemon for that client.
func node(t *testing.T, env ...string) nodeClient {
	t.Helper()
	client, err := nodeclient.Ensure(t.Context(), filepath.Join(kit.Repository(), ".cache", "node"))
	if errors.Is(err, nodeclient.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return nodeClient{newStory(t, binaries.fake, env...), client}
}

// playing is a scenario that runs.
type playing struct {
	*story
	cmd    *exec.Cmd
	output shared
	failed shared
	ended  chan error
}

// begin starts a scenario. Arguments are those of scenarios.mjs, beside the daemon's place
// and the client's name.
func (n nodeClient) begin(scenario string, arguments map[string]any) *playing {
	n.Helper()
	all := map[string]any{
		"proto": filepath.Join(kit.Repository(), "proto"), "target": "unix:" + n.world.Socket(),
		"client": "node", "directory": n.world.Project,
	}
	for name, value := range arguments {
		all[name] = value
	}
	raw, err := json.Marshal(all)
	if err != nil {
		n.Fatal(err)
	}
	p := &playing{story: n.story, cmd: n.client.Command(n.Context(), n.world.Root, scenario), ended: make(chan error, 1)}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = bytes.NewReader(raw), &p.output, &p.failed
	if err := p.cmd.Start(); err != nil {
		n.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	n.Cleanup(func() { _ = p.cmd.Process.Kill() }) // it has ended, unless the test failed
	return p
}

// until waits for a line that the scenario prints.
func (p *playing) until(line string) {
	p.Helper()
	p.eventually(line, func() bool {
		if len(p.ended) > 0 {
			p.Fatalf("the client has ended before %q:\n%s%s", line, p.output.String(), p.failed.String())
		}
		return strings.Contains(p.output.String(), line+"\n")
	})
}

// result waits for the end of a scenario and reads what it reports.
func (p *playing) result(into any) {
	p.Helper()
	select {
	case err := <-p.ended:
		if err != nil {
			p.Fatalf("%s: %v\n%s%s", p.cmd, err, p.output.String(), p.failed.String())
		}
	case <-time.After(patience):
		p.Fatalf("%s does not end:\n%s%s", p.cmd, p.output.String(), p.failed.String())
	}
	lines := strings.Split(strings.TrimSpace(p.output.String()), "\n")
	decoder := json.NewDecoder(strings.NewReader(lines[len(lines)-1]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		p.Fatalf("%v: %s", err, lines)
	}
}

// Headless, the client gets the answer to its own prompt, also in a session with a history,
// with gzip and without.
func TestNodeHeadless(t *testing.T) {
	t.Parallel()
	n := node(t)
	id, before := session(), ""
	for i, word := range []string{"first", "second", "third"} {
		var got struct{ Before, Answer string }
		n.begin("headless", map[string]any{"session": id, "prompt": "echo:" + word, "gzip": i > 0}).result(&got)
		if got.Answer != word || got.Before != before {
			t.Errorf("asked for %s, got %+v", word, got)
		}
		before += word
	}
}

// The screen sees history once, answers two permissions and three questions that wait
// together with one slot, and its half-closed stream ends.
func TestNodeScreen(t *testing.T) {
	t.Parallel()
	n := node(t)
	id := session()
	c := n.converse("other", id)
	n.say(c, "echo:before")
	n.wait(c, 0, kit.IsIdle)
	c.Close()
	var got struct {
		History, Answer, Status string
		Asked                   []string
	}
	n.begin("screen", map[string]any{"session": id, "prompt": "run:touch one\nask\nrun:touch two\necho:after", "client": "node"}).result(&got)
	if got.History != "before" || !strings.Contains(got.Answer, "after") || strings.Contains(got.Answer, "before") || got.Status != "OK" {
		t.Errorf("%+v", got)
	}
	if len(got.Asked) < 5 || got.Asked[0] != "Bash touch one" || got.Asked[len(got.Asked)-1] != "Bash touch two" || !n.exists("one") || !n.exists("two") {
		t.Errorf("asked: %q", got.Asked)
	}
}

// The client resumes after its sequence after each kill of the daemon: while a person is asked, and while the turn
// runs. Everything is there once, without a gap.
func TestNodeReconnects(t *testing.T) {
	t.Parallel()
	n := node(t)
	id := session()
	p := n.begin("reconnect", map[string]any{"session": id, "prompt": "echo:first\nrun:touch made\ngate:go\necho:last"})
	p.until("asked first")
	n.killDaemon()
	p.until("asked again")
	n.waitFile("made")
	n.killDaemon()
	p.until("attached 3")
	n.create("go")
	var got struct {
		Answer              string
		Sequences           []int
		Attached, Decisions int
	}
	p.result(&got)
	if !strings.HasPrefix(got.Answer, "first") || strings.Count(got.Answer, "first") != 1 || !strings.HasSuffix(got.Answer, "last") || strings.Count(got.Answer, "last") != 1 || got.Attached != 3 || got.Decisions != 1 || len(got.Sequences) == 0 {
		t.Errorf("%+v", got)
	}
	for i, seq := range got.Sequences {
		if seq != i+1 {
			t.Fatalf("sequences have a gap, or come twice: %v", got.Sequences)
		}
	}
	n.heardOnce(id)
}

// A stream whose client sends no more ends with the turn, with OK.
func TestNodeHalfClose(t *testing.T) {
	t.Parallel()
	n := node(t)
	var got struct {
		Answer, Status string
		Complete       bool
	}
	n.begin("halfclose", map[string]any{"session": session(), "prompt": "echo:to the end"}).result(&got)
	if got.Answer != "to the end" || !got.Complete || got.Status != "OK" {
		t.Errorf("%+v", got)
	}
}

// A deadline and a cancellation end a stream and a call, and not the turn.
func TestNodeLeaves(t *testing.T) {
	t.Parallel()
	n := node(t)
	var got struct {
		Expired, Cancelled, Slow, Error string
		Active                          bool
	}
	n.begin("leave", map[string]any{"session": session(), "prompt": "echo:begun\ngate:never"}).result(&got)
	// A server that reaches the deadline first resets the stream, and this client library calls that CANCELLED.
	expired := []string{"DEADLINE_EXCEEDED", "CANCELLED"}
	if !slices.Contains(expired, got.Expired) || got.Cancelled != "CANCELLED" || !slices.Contains(expired, got.Slow) || !got.Active {
		t.Errorf("%+v", got)
	}
	n.eventually("the client is gone from the session", func() bool {
		tree, err := n.daemon.Admin().GetTree(t.Context(), &pb.GetTreeRequest{})
		return err == nil && !strings.Contains(tree.String(), "client/")
	})
}

// Over TCP the client has the rights of its token.
func TestNodeToken(t *testing.T) {
	t.Parallel()
	n := node(t, "BETCODE_LISTEN_TCP=127.0.0.1:0")
	token := func(name string, scopes ...string) string {
		secret, err := os.ReadFile(n.token(name, scopes...))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(secret))
	}
	type outcome struct{ Version, List, Details, Reason, Converse, Answer string }
	for name, test := range map[string]struct {
		token string
		want  outcome
	}{
		"none":    {"", outcome{Version: "UNAUTHENTICATED", List: "UNAUTHENTICATED", Converse: "UNAUTHENTICATED"}},
		"unknown": {"betcode_nobody", outcome{Version: "UNAUTHENTICATED", List: "UNAUTHENTICATED", Converse: "UNAUTHENTICATED"}},
		"view":    {token("viewer", "view"), outcome{Version: "OK", List: "OK", Converse: "PERMISSION_DENIED"}},
		"control": {token("writer", "view", "control"), outcome{Version: "OK", List: "OK", Converse: "OK", Answer: "hello"}},
	} {
		for _, gzip := range []bool{false, true} {
			var got outcome
			n.begin("remote", map[string]any{
				"session": session(), "prompt": "echo:hello", "target": n.address(), "token": test.token, "gzip": gzip,
			}).result(&got)
			if refused := got.List != "OK"; refused != (got.Details != "") || refused != strings.Contains(got.Reason, "betcode") {
				t.Errorf("%s: a refusal without a text or a reason, or a text without one: %+v", name, got)
			}
			got.Details, got.Reason = "", ""
			if got != test.want {
				t.Errorf("%s, gzip %t: %+v, want %+v", name, gzip, got, test.want)
			}
		}
	}
}

// Large messages and events pass in both directions; one that is too large is refused with
// a text that names the limit.
func TestNodeLarge(t *testing.T) {
	t.Parallel()
	n := node(t)
	type outcome struct {
		Length                 int
		Status, Details, Error string
	}
	for _, gzip := range []bool{false, true} {
		var got outcome
		n.begin("large", map[string]any{"session": session(), "prompt": "biglines:3MB", "size": 0, "gzip": gzip}).result(&got)
		if got.Status != "OK" || got.Length != 3<<20 {
			t.Errorf("a large answer, gzip %t: %+v", gzip, got)
		}
		n.begin("large", map[string]any{"session": session(), "prompt": "echo:", "size": 200 << 10, "gzip": gzip}).result(&got)
		if got.Status != "OK" || got.Length != 200<<10 {
			t.Errorf("a large message, gzip %t: %+v", gzip, got)
		}
		n.begin("large", map[string]any{"session": session(), "prompt": "echo:x", "size": 0, "attachment": 8 << 20, "gzip": gzip}).result(&got)
		if got.Status != "OK" || got.Length != 1 {
			t.Errorf("a large attachment, gzip %t: %+v", gzip, got)
		}
		n.begin("large", map[string]any{"session": session(), "prompt": "echo:x", "size": 80 << 20, "gzip": gzip}).result(&got)
		if got.Status != "RESOURCE_EXHAUSTED" || got.Details == "" {
			t.Errorf("a message beyond the limit, gzip %t: %+v", gzip, got)
		}
	}
}
