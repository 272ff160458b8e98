package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/eventtest"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/talk"
	pb "betcode/proto/betcode/v1"
)

func TestRun(t *testing.T) {
	const denied = "deny: No person is there to decide: this is an unattended run. Find a way without it, or say what you would need.\n"
	asking := func(events ...*pb.AgentEvent) func(*fakeDaemon, *script) error {
		return func(_ *fakeDaemon, s *script) error {
			_, key := s.accept()
			s.send(events...)
			p := s.next().GetPermission()
			s.send(eventtest.Resolved(p.GetRequestId()), eventtest.Text(strings.ToLower(p.GetDecision().String())+": "+p.GetMessage()))
			s.send(eventtest.TurnOver(key)...)
			return s.wait()
		}
	}
	refusing := func(code string) func(*fakeDaemon, *script) error {
		return func(_ *fakeDaemon, s *script) error {
			key := s.next().GetMessage().GetIdempotencyKey()
			_ = s.stream.Send(&pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{
				Code: code, Message: "refused. Do something else.", Details: map[string]string{"idempotency_key": key},
			}}})
			return s.wait()
		}
	}
	failing := func(before ...*pb.AgentEvent) func(*fakeDaemon, *script) error {
		return func(_ *fakeDaemon, s *script) error {
			_, key := s.accept()
			s.send(before...)
			s.send(&pb.AgentEvent{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{IsError: true, Error: "the model is overloaded", InputKeys: []string{key}}}})
			return s.wait()
		}
	}
	rateLimited := &pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Code: "RATE_LIMITED", Message: "slow down"}}}
	for name, test := range map[string]struct {
		talk   func(*fakeDaemon, *script) error
		args   string
		stdin  string
		code   int
		stdout string
		stderr string // part of it
	}{
		"answer": {turnOf("Hello.", "There."), "run|hi", "", 0, "Hello.\n\nThere.\n", ""},
		"last message only": {func(d *fakeDaemon, s *script) error {
			_, key := s.accept()
			s.send(eventtest.Text("Let me see."), eventtest.Call("Bash", "ls"), eventtest.Text("Two files."))
			s.send(eventtest.TurnOver(key)...)
			return s.wait()
		}, "run|hi", "", 0, "Two files.\n", ""},
		"standard input": {func(_ *fakeDaemon, s *script) error {
			text, key := s.accept()
			s.send(eventtest.Text(text))
			s.send(eventtest.TurnOver(key)...)
			return s.wait()
		}, "run|-", "from a pipe", 0, "from a pipe\n", ""},
		"no argument": {func(_ *fakeDaemon, s *script) error {
			text, key := s.accept()
			s.send(eventtest.Text(text))
			s.send(eventtest.TurnOver(key)...)
			return s.wait()
		}, "run", "from a pipe", 0, "from a pipe\n", ""},
		"somebody else's end": {func(_ *fakeDaemon, s *script) error {
			_, key := s.accept()
			s.send(eventtest.TurnOver("another")...)
			s.send(eventtest.Text("mine"))
			s.send(eventtest.TurnOver(key)...)
			return s.wait()
		}, "run|hi", "", 0, "mine\n", ""},
		"allowed":             {asking(eventtest.Asks("r", "Bash", "ls")), "run|hi|--permissions|allow", "", 0, "allow_once: \n", ""},
		"denied by default":   {asking(eventtest.Asks("r", "Bash", "ls")), "run|hi", "", 3, denied, "denied because no person was asked: Bash"},
		"denied":              {asking(eventtest.Asks("r", "Bash", "ls")), "run|hi|--permissions=deny", "", 3, denied, "--allow-tools"},
		"question declined":   {asking(eventtest.Question("q/0", "A?", false), eventtest.Question("q/1", "B?", false)), "run|hi|--permissions|allow", "", 3, denied, "AskUserQuestion"},
		"agent error":         {failing(), "run|hi", "", 1, "", "the model is overloaded"},
		"rate limited":        {failing(rateLimited), "run|hi", "", 4, "", "overloaded"},
		"locked":              {refusing("NO_INPUT_LOCK"), "run|hi", "", 3, "", "betcode: refused. Do something else."},
		"malformed":           {refusing("INVALID_ARGUMENT"), "run|hi", "", 5, "", "refused"},
		"pool":                {refusing("POOL_EXHAUSTED"), "run|hi", "", 4, "", "refused"},
		"stream refused":      {func(*fakeDaemon, *script) error { return catalogued(codes.InvalidArgument, "INVALID_ARGUMENT", "no") }, "run|hi", "", 5, "", "betcode: no"},
		"session deleted":     {func(_ *fakeDaemon, s *script) error { s.accept(); return nil }, "run|hi", "", 1, "", "closed before the turn was over"},
		"unknown session":     {turnOf("x"), "run|hi|-r|nobody", "", 6, "", "there is no session"},
		"nothing to continue": {turnOf("x"), "run|hi|-c", "", 6, "", "there is none in"},
		"no prompt":           {turnOf("x"), "run", " \n", 5, "", "there is no prompt"},
		"no file":             {turnOf("x"), "run|--file|/does/not/exist", "", 5, "", "read prompt"},
		"two prompts":         {turnOf("x"), "run|hi|--file|x", "", 5, "", "contradict"},
		"bad format":          {turnOf("x"), "run|hi|-o|xml", "", 5, "", "stream-json"},
		"bad policy":          {turnOf("x"), "run|hi|--permissions|maybe", "", 5, "", "ask, allow or deny"},
		"bad flag":            {turnOf("x"), "run|hi|--nonsense", "", 5, "", "nonsense"},
		"new session's flag":  {turnOf("x"), "run|hi|-r|3f2a|--name|x", "", 5, "", "for a new session"},
	} {
		t.Run(name, func(t *testing.T) {
			d := serveFake(t, &fakeDaemon{talk: test.talk, sessions: exampleSessions("/w")})
			code, stdout, stderr := command(t, test.stdin, strings.Split(test.args, "|")...)
			if code != test.code || stdout != test.stdout || !strings.Contains(stderr, test.stderr) {
				t.Errorf("exit %d, want %d\nstdout %q, want %q\nstderr %q, want %q\nstarts %v", code, test.code, stdout, test.stdout, stderr, test.stderr, d.starts)
			}
		})
	}
}

func TestRunJSON(t *testing.T) {
	serveFake(t, &fakeDaemon{talk: turnOf("Hello.")})
	code, stdout, _ := command(t, "", "run", "hi", "--output-format", "json")
	var got talk.RunResult
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 {
		t.Fatalf("exit %d, %v: %s", code, err, stdout)
	}
	if got.Schema != "betcode.run/v2" || got.Result != "Hello." || got.IsError || got.StopReason != "end_turn" || got.Session == "" || got.Last != 5 || got.Usage["output_tokens"] != 2.0 {
		t.Errorf("got %+v", got)
	}
}

func TestRunStreamJSON(t *testing.T) {
	serveFake(t, &fakeDaemon{talk: turnOf("Hello.")})
	code, stdout, _ := command(t, "", "run", "hi", "-o", "stream-json")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != 0 || len(lines) != 5 {
		t.Fatalf("exit %d: %s", code, stdout)
	}
	var first, last map[string]any
	if json.Unmarshal([]byte(lines[0]), &first) != nil || json.Unmarshal([]byte(lines[4]), &last) != nil {
		t.Fatal(stdout)
	}
	if first["sequence"] != "1" || first["user_input"] == nil || last["turn_complete"] == nil {
		t.Errorf("got %v … %v", first, last)
	}
}

// TestRunStart: the options that a new session gets, and those that an existing one gets.
func TestRunStart(t *testing.T) {
	dir := t.TempDir()
	d := serveFake(t, &fakeDaemon{talk: turnOf("ok"), sessions: exampleSessions(dir)})
	prompt := filepath.Join(dir, "prompt")
	if err := os.WriteFile(prompt, []byte("do it"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := command(t, "", "run", "--file", prompt, "--cwd", dir, "--model", "opus", "--permission-mode", "plan",
		"--allow-tools", "Read,Bash(git *)", "--deny-tools", "WebFetch", "--name", "n")
	if code != 0 {
		t.Fatal(stderr)
	}
	s := d.starts[0]
	if s.GetWorkingDirectory() != dir || s.GetModel() != "opus" || s.GetPermissionMode() != "plan" || s.GetName() != "n" ||
		strings.Join(s.GetAllowedTools(), ";") != "Read;Bash(git *)" || strings.Join(s.GetDeniedTools(), ";") != "WebFetch" || s.GetSessionId() == "" {
		t.Errorf("new: %v", s)
	}
	d.show = &pb.ShowSessionResponse{Summary: d.sessions[0], Head: 41}
	if code, _, stderr := command(t, "", "run", "more", "-c", "--cwd", dir); code != 0 {
		t.Fatal(stderr)
	}
	if s := d.starts[1]; s.GetSessionId() != sessionA || s.GetFromSequence() != 41 || s.GetHistory() != pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE {
		t.Errorf("continued: %v", s)
	}
}

// TestRunWithoutATurn: a message can be done without a turn of its own; then run asks the daemon for its state.
func TestRunWithoutATurn(t *testing.T) {
	d := serveFake(t, &fakeDaemon{})
	d.talk = func(_ *fakeDaemon, s *script) error {
		s.accept()
		s.send(eventtest.Status(pb.AgentStatus_IDLE))
		return s.wait()
	}
	d.show = &pb.ShowSessionResponse{Summary: &pb.SessionSummary{Status: "idle"}}
	if code, _, stderr := command(t, "", "run", "hi"); code != 0 {
		t.Errorf("idle: exit %d, %s", code, stderr)
	}
	d.show = &pb.ShowSessionResponse{Summary: &pb.SessionSummary{Status: "crashed"}}
	if code, _, stderr := command(t, "", "run", "hi"); code != 1 || !strings.Contains(stderr, "could not be started") {
		t.Errorf("crashed: exit %d, %s", code, stderr)
	}
}

// TestRunSurvivesTheDaemon: the connection breaks in the middle of the turn.
func TestRunSurvivesTheDaemon(t *testing.T) {
	d := serveFake(t, &fakeDaemon{})
	var key string
	d.talk = func(d *fakeDaemon, s *script) error {
		d.mu.Lock()
		first := len(d.starts) == 1
		d.mu.Unlock()
		if first {
			_, key = s.accept()
			return status.Error(codes.Unavailable, "killed")
		}
		if s.start.GetFromSequence() != 1 {
			t.Errorf("came back with %v", s.start)
		}
		s.send(eventtest.Text("still here"))
		s.send(eventtest.TurnOver(key)...)
		return s.wait()
	}
	code, stdout, stderr := command(t, "", "run", "hi")
	if code != 0 || stdout != "still here\n" || !strings.Contains(stderr, "Connected again.") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
}

// TestRunWaitsForAReservedLock: a prompt that is refused because the lock is reserved for
// a client from before the daemon's end is sent again, as a message of its own.
func TestRunWaitsForAReservedLock(t *testing.T) {
	serveFake(t, &fakeDaemon{talk: func(_ *fakeDaemon, s *script) error {
		refused := s.next().GetMessage()
		_ = s.stream.Send(&pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{
			Code: "NO_INPUT_LOCK", Message: "another client holds the input lock",
			Details: map[string]string{"idempotency_key": refused.GetIdempotencyKey(), "lock_reserved": "true", "holder_client_id": "web-1"},
		}}})
		_, key := s.accept()
		if key == refused.GetIdempotencyKey() {
			t.Error("it has the key of the message that was refused")
		}
		s.send(eventtest.Text("here"))
		s.send(eventtest.TurnOver(key)...)
		return s.wait()
	}})
	code, stdout, stderr := command(t, "", "run", "hi")
	if code != 0 || stdout != "here\n" || !strings.Contains(stderr, "reserved for its former holder (web-1)") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
}

func TestRunGivesUp(t *testing.T) {
	serveFake(t, &fakeDaemon{talk: func(*fakeDaemon, *script) error { return status.Error(codes.Unavailable, "killed") }})
	code, _, stderr := command(t, "", "run", "hi", "--connect-timeout", "1s")
	if code != exit.Connection || !strings.Contains(stderr, "session attach") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

// TestRunInterrupted: the first Ctrl-C interrupts the turn, the second leaves.
func TestRunInterrupted(t *testing.T) {
	for name, obeys := range map[string]bool{"the turn ends": true, "it does not": false} {
		t.Run(name, func(t *testing.T) {
			presses := make(chan os.Signal, 2)
			d := serveFake(t, &fakeDaemon{talk: func(_ *fakeDaemon, s *script) error {
				_, key := s.accept()
				presses <- os.Interrupt
				if s.next().GetCancel() == nil {
					return errors.New("no cancel")
				}
				if !obeys {
					presses <- os.Interrupt
					return s.wait()
				}
				s.send(&pb.AgentEvent{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{StopReason: "cancelled", InputKeys: []string{key}}}})
				return s.wait()
			}})
			var out, talk bytes.Buffer
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			code := newProgram(testBuild, strings.NewReader(""), &out, &talk, presses).run(ctx, []string{"betcode", "--socket", d.socket, "run", "hi"})
			if code != exit.Interrupted || strings.Contains(talk.String(), "The session goes on") == obeys {
				t.Errorf("exit %d, %q", code, &talk)
			}
		})
	}
}

// TestRunAsks: a person answers on the terminal.
func TestRunAsks(t *testing.T) {
	d := serveFake(t, &fakeDaemon{talk: func(_ *fakeDaemon, s *script) error {
		_, key := s.accept()
		s.send(eventtest.Asks("r1", "Bash", "ls"), eventtest.Asks("r2", "Edit", "x"))
		for range 2 {
			p := s.next().GetPermission()
			s.send(eventtest.Resolved(p.GetRequestId()), eventtest.Text(p.GetRequestId()+" "+p.GetDecision().String()))
		}
		s.send(eventtest.TurnOver(key)...)
		return s.wait()
	}})
	var out, talk bytes.Buffer
	p := newProgram(testBuild, strings.NewReader("what?\ny\nd not that\n"), &out, &talk, nil)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	code := p.run(ctx, []string{"betcode", "--socket", d.socket, "run", "hi", "--permissions", "ask"})
	if code != 0 || out.String() != "r1 ALLOW_ONCE\n\nr2 DENY\n" || !strings.Contains(talk.String(), "Answer with y") {
		t.Errorf("exit %d, %q, %q", code, &out, &talk)
	}
}
