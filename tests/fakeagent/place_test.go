package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for a line that must come.
const patience = time.Minute

// usual are the flags a supervisor uses.
var usual = []string{
	"-p", "--output-format", "stream-json", "--input-format", "stream-json",
	"--permission-prompt-tool", "stdio", "--include-partial-messages", "--verbose",
}

// place is where agents run: a home, a working directory, an environment.
type place struct {
	home, cwd string
	env       []string
	program   string // the fake agent by default
}

func newPlace(t *testing.T, env ...string) place {
	t.Helper()
	return place{home: t.TempDir(), cwd: t.TempDir(), env: env}
}

// proc is a running fake agent with its pipes.
type proc struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr bytes.Buffer
	lines  chan map[string]any // parsed; a line that is not JSON is {"raw": …}
	ended  chan struct{}
	seen   []map[string]any
	waited sync.Once
}

// start runs the binary with the usual flags and more, stdin being a pipe.
func (p place) start(t *testing.T, args ...string) *proc {
	t.Helper()
	return p.startWith(t, nil, args...)
}

// startWith is start with another stdin.
func (p place) startWith(t *testing.T, stdin *os.File, args ...string) *proc {
	t.Helper()
	program := p.program
	if program == "" {
		program = binary
	}
	cmd := exec.Command(program, append(usual[:len(usual):len(usual)], args...)...)
	cmd.Dir = p.cwd
	cmd.Env = append([]string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH")}, p.env...)
	a := &proc{t: t, cmd: cmd, lines: make(chan map[string]any, 100000), ended: make(chan struct{})}
	cmd.Stderr = &a.stderr
	var err error
	if stdin != nil {
		cmd.Stdin = stdin
	} else if a.stdin, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go a.read(stdout)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		a.code()
	})
	return a
}

func (a *proc) read(stdout io.Reader) {
	defer close(a.lines)
	r := bufio.NewReader(stdout)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			var o map[string]any
			if json.Unmarshal(line, &o) != nil || o == nil {
				o = map[string]any{"raw": string(line)}
			}
			a.lines <- o
		}
		if err != nil {
			return
		}
	}
}

// send writes lines.
func (a *proc) send(lines ...string) {
	a.t.Helper()
	if _, err := io.WriteString(a.stdin, strings.Join(lines, "\n")+"\n"); err != nil {
		a.t.Logf("send: %v", err)
	}
}

// userMessage is a user line.
func userMessage(uuid, text string) string {
	return string(encode(obj{"type": "user", "uuid": uuid, "message": obj{"role": "user", "content": text}}))
}

// user sends a prompt with a new uuid.
func (a *proc) user(text string) (uuid string) {
	a.t.Helper()
	uuid = newUUID()
	a.send(userMessage(uuid, text))
	return uuid
}

// control sends a control request.
func (a *proc) control(id string, request obj) {
	a.t.Helper()
	a.send(string(encode(obj{"type": "control_request", "request_id": id, "request": request})))
}

// answer answers a control_request line.
func (a *proc) answer(request map[string]any, response obj) {
	a.t.Helper()
	a.send(string(encode(obj{"type": "control_response", "response": obj{
		"subtype":    "success",
		"request_id": request["request_id"], "response": response,
	}})))
}

// wait returns the next line that matches, failing when the output ends first.
func (a *proc) wait(what string, match func(map[string]any) bool) map[string]any {
	a.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case line, ok := <-a.lines:
			if !ok {
				a.t.Fatalf("output ended before %s; stderr: %s; so far:\n%s", what, &a.stderr, a.story())
			}
			a.seen = append(a.seen, line)
			if match(line) {
				return line
			}
		case <-timeout:
			a.t.Fatalf("no %s; so far:\n%s", what, a.story())
		}
	}
}

func is(kind string) func(map[string]any) bool {
	return func(l map[string]any) bool { return l["type"] == kind || l["subtype"] == kind }
}

func (a *proc) result() map[string]any { a.t.Helper(); return a.wait("result", is("result")) }
func (a *proc) request() map[string]any {
	a.t.Helper()
	return a.wait("request", is("control_request"))
}

// rest reads to the end of the output and returns the exit code; -1 is death by
// a signal.
func (a *proc) rest() int {
	a.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case line, ok := <-a.lines:
			if !ok {
				return a.code()
			}
			a.seen = append(a.seen, line)
		case <-timeout:
			a.t.Fatalf("does not end; so far:\n%s", a.story())
		}
	}
}

// code waits for the process.
func (a *proc) code() int {
	a.waited.Do(func() { _ = a.cmd.Wait() })
	return a.cmd.ProcessState.ExitCode()
}

// eof closes stdin and returns the exit code.
func (a *proc) eof() int {
	a.t.Helper()
	if err := a.stdin.Close(); err != nil {
		a.t.Logf("close stdin: %v", err)
	}
	return a.rest()
}

func (a *proc) kill() { a.t.Helper(); _ = a.cmd.Process.Signal(syscall.SIGKILL); a.rest() }

// story summarises the output, one word for each line: "queued", "init", "result", …
func (a *proc) story() string { return strings.Join(a.words(), " ") }

func (a *proc) words() []string {
	var words []string
	for _, l := range a.seen {
		switch kind := fmt.Sprint(l["type"]); kind {
		case "stream_event":
		case "command_lifecycle":
			words = append(words, fmt.Sprint(l["state"]))
		case "system":
			words = append(words, fmt.Sprint(l["subtype"]))
		default:
			words = append(words, kind)
		}
	}
	return words
}

// expect compares the story.
func (a *proc) expect(want string) {
	a.t.Helper()
	if got := a.story(); got != want {
		a.t.Errorf("lines:\n got %s\nwant %s", got, want)
	}
}

// lifecycles is the sequence of lifecycle states of one message.
func (a *proc) lifecycles(uuid string) string {
	var states []string
	for _, l := range a.seen {
		if l["type"] == "command_lifecycle" && l["command_uuid"] == uuid {
			states = append(states, fmt.Sprint(l["state"]))
		}
	}
	return strings.Join(states, " ")
}

// transcript returns the session's file, if there is one.
func (p place) transcript(session string) (string, bool) {
	path, ok := findTranscript(p.home, session)
	if !ok {
		return "", false
	}
	b, err := os.ReadFile(path)
	return string(b), err == nil
}

// accepted counts the ledger's lines per uuid.
func (p place) accepted(t *testing.T, session string) map[string]int {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(p.home, ".fake-agent", session+".accepted"))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for line := range strings.Lines(string(file)) {
		var l ledgerLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		count[l.UUID]++
	}
	return count
}
