package model_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"betcode/tests/claudecli"
	"betcode/tests/model"
)

// claude is a running Claude Code.
type claude struct {
	t     *testing.T
	ctx   context.Context
	model *model.Server
	cwd   string
	home  string
	stdin io.WriteCloser
	lines chan line
	seen  []line
	cmd   *exec.Cmd
}

// line is a line of its stdout.
type line map[string]any

// at follows a path of members.
func (l line) at(path ...string) any {
	var v any = map[string]any(l)
	for _, p := range path {
		m, _ := v.(map[string]any)
		v = m[p]
	}
	return v
}

// is matches lines by type, or by subtype.
func is(kind string) func(line) bool {
	return func(l line) bool { return l["type"] == kind || l["subtype"] == kind }
}

// flags are those of a supervisor.
var flags = []string{
	"-p", "--output-format", "stream-json", "--input-format", "stream-json",
	"--permission-prompt-tool", "stdio", "--include-partial-messages", "--verbose",
}

// start runs Claude Code in a home of its own with a ready script.
func start(t *testing.T, script string, args, env []string) *claude {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the real Claude Code")
	}
	path, err := claudecli.Ensure(t.Context(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	s, err := model.Ready(script)
	if err != nil {
		t.Fatal(err)
	}
	server, err := model.New(s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	c := &claude{t: t, ctx: ctx, model: server, cwd: t.TempDir(), home: t.TempDir(), lines: make(chan line, 10000)}
	c.cmd = exec.CommandContext(ctx, path, append(flags[:len(flags):len(flags)], args...)...)
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr = c.cwd, append(claudecli.Env(c.home, server.URL), env...), t.Output()
	c.stdin, err = c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go c.read(stdout)
	t.Cleanup(func() {
		_ = c.stdin.Close()
		_ = c.cmd.Wait()
		cancel()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func (c *claude) read(stdout io.Reader) {
	defer close(c.lines)
	for r := bufio.NewReader(stdout); ; {
		b, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var l line
		if err := json.Unmarshal(b, &l); err != nil {
			l = line{"type": "not JSON", "raw": string(b)}
		}
		c.lines <- l
	}
}

// send writes one line.
func (c *claude) send(l line) {
	c.t.Helper()
	b, err := json.Marshal(l)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.stdin.Write(append(b, '\n')); err != nil {
		c.t.Fatal(err)
	}
}

// user sends a prompt and returns its uuid.
func (c *claude) user(text string) string {
	c.t.Helper()
	id := uuid.NewString()
	c.send(line{"type": "user", "uuid": id, "message": line{"role": "user", "content": text}})
	return id
}

// answer answers a permission request.
func (c *claude) answer(request, response line) {
	c.t.Helper()
	c.send(line{"type": "control_response", "response": line{
		"subtype": "success", "request_id": request["request_id"], "response": response,
	}})
}

// wait returns the next line that matches.
func (c *claude) wait(what string, match func(line) bool) line {
	c.t.Helper()
	for {
		select {
		case l, ok := <-c.lines:
			if !ok {
				c.t.Fatalf("claude ended before %s; so far: %s", what, c.story())
			}
			c.seen = append(c.seen, l)
			if match(l) {
				return l
			}
		case <-c.ctx.Done():
			c.t.Fatalf("no %s; so far: %s", what, c.story())
		}
	}
}

func (c *claude) result() line  { c.t.Helper(); return c.wait("result", is("result")) }
func (c *claude) request() line { c.t.Helper(); return c.wait("request", is("control_request")) }

// story is the lines so far, a word each.
func (c *claude) story() string {
	var words []string
	for _, l := range c.seen {
		switch l["type"] {
		case "stream_event":
		case "system":
			words = append(words, fmt.Sprint(l["subtype"]))
		case "command_lifecycle":
			words = append(words, fmt.Sprint(l["state"]))
		default:
			words = append(words, fmt.Sprint(l["type"]))
		}
	}
	return strings.Join(words, " ")
}

func (c *claude) expect(want string) {
	c.t.Helper()
	if got := c.story(); got != want {
		c.t.Errorf("lines:\n got %s\nwant %s", got, want)
	}
}

// expectOnce checks that a prompt is in the conversation exactly once.
func (c *claude) expectOnce(prompt string) {
	c.t.Helper()
	r, ok := c.model.Latest("")
	if !ok || r.Conversation.Count(prompt) != 1 || r.Rule == "" {
		c.t.Errorf("the model last saw %+v", r.Conversation)
	}
}
