package actors

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/actortest"
	"betcode/actors/run"
	"betcode/messages"
)

// script is the smallest possible agent: it answers every message with a turn and
// every request with success, and remembers every message that it has seen.
const script = `#!/bin/sh
member() { printf '%s' "$line" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
seen=
while IFS= read -r line; do
	case $line in
	*'"subtype":"end_session"'*) exit 0 ;;
	*'"type":"control_request"'*)
		printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "$(member request_id)" ;;
	*'"type":"user"'*)
		id=$(member uuid)
		case $seen in *$id*) continue ;; esac
		seen="$seen $id"
		for state in queued started; do printf '{"type":"command_lifecycle","command_uuid":"%s","state":"%s"}\n' "$id" $state; done
		printf '{"type":"system","subtype":"init","model":"small","user_message_uuids":["%s"]}\n' "$id"
		printf '{"type":"assistant","message":{"id":"m-%s","content":[{"type":"text","text":"did %s"}]}}\n' "$id" "$id"
		case $line in *'close your ears'*) exec 0</dev/null ;; esac
		printf '{"type":"result","subtype":"success","stop_reason":"end_turn","user_message_uuids":["%s"]}\n' "$id"
		case $line in *'close your ears'*) exec sleep 1000 ;; esac ;;
	esac
done
`

// withScript is a stage whose agent is the script.
func withScript(t *testing.T, change ...func(*Options)) *stage {
	t.Helper()
	program := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return raise(t, newMemoryStore(), append([]func(*Options){func(o *Options) {
		o.Program, o.Environment = program, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	}}, change...)...)
}

// settled waits until a session has no message left, and returns its view.
func (s *stage) settled(id messages.SessionID) messages.SessionView {
	s.t.Helper()
	var v messages.SessionView
	s.eventually("all messages are answered", func() bool {
		v = must[messages.SessionView](s, messages.GetSession{Session: id})
		return len(v.Inputs) == 0 && !v.Record.Turn
	})
	return v
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestTurnsOfARealProcess(t *testing.T) {
	s := withScript(t)
	s.open(sessionN(1))
	r := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
	for n := range 3 {
		must[messages.InputAcknowledged](s, message(sessionN(1), n+1))
	}
	v := s.settled(sessionN(1))
	if v.Record.Run != 1 || v.Record.Phase != messages.PhaseIdle || v.Record.AgentModel != "small" || !alive(v.Run.Process.PID) {
		t.Errorf("%+v", v)
	}
	for n := range 3 {
		s.eventually("the answer is shown", func() bool { return r.has("text did " + key(n+1)) })
	}
	if got := must[messages.SessionStopped](s, messages.StopSession{Session: sessionN(1)}); !got.WasRunning {
		t.Errorf("%+v", got)
	}
	if alive(v.Run.Process.PID) {
		t.Error("the agent lives on")
	}
	s.checkComplete(r, sessionN(1), 0)
	must[messages.InputAcknowledged](s, message(sessionN(1), 4))
	if v = s.settled(sessionN(1)); v.Record.Run != 2 || !v.Run.Resumed {
		t.Errorf("after the stop: %+v", v.Run)
	}
}

// Actors are restarted; the agent does not notice, and none of its output is lost or
// published twice.
func TestAgentOutlivesItsActors(t *testing.T) {
	session := "daemon/sessions/session/" + string(sessionN(1))
	for _, c := range []struct {
		name    string
		address string
		poison  any
	}{
		{"its session's", session, poison("session")},
		{"its run's", session + "/run/1", run.Lost{Err: errors.New("poison")}},
		{"all sessions'", "daemon/sessions", unfinished{err: errors.New("poison")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := withScript(t)
			s.open(sessionN(1))
			r := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
			must[messages.InputAcknowledged](s, message(sessionN(1), 1))
			pid := s.settled(sessionN(1)).Run.Process.PID
			const inputs = 12
			for n := 2; n <= inputs; n++ {
				s.actors.Root.Send(actor.NewPID(s.daemon.Address, c.address), c.poison)
				must[messages.InputAcknowledged](s, message(sessionN(1), n))
				time.Sleep(time.Duration(n) * time.Millisecond)
			}
			v := s.settled(sessionN(1))
			if v.Record.Run != 1 || v.Run.Process.PID != pid || !alive(pid) {
				t.Errorf("run %d, process %d, it was %d", v.Record.Run, v.Run.Process.PID, pid)
			}
			s.checkComplete(r, sessionN(1), 0)
			for n := range inputs {
				shown := 0
				for _, e := range r.got() {
					if e.Seq > 0 && strings.HasSuffix(actortest.ShowEvent(e), " text did "+key(n+1)) {
						shown++
					}
				}
				if shown != 1 {
					t.Errorf("the answer to message %d is published %d times", n+1, shown)
				}
			}
		})
	}
}

// An agent that is killed is started again, and no message that it had not answered is
// lost.
func TestAgentIsKilled(t *testing.T) {
	s := withScript(t)
	s.open(sessionN(1))
	r := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
	const kills = 3
	for n := range kills {
		must[messages.InputAcknowledged](s, message(sessionN(1), 2*n+1))
		pid := s.settled(sessionN(1)).Run.Process.PID
		syscall.Kill(pid, syscall.SIGKILL)
		must[messages.InputAcknowledged](s, message(sessionN(1), 2*n+2))
	}
	v := s.settled(sessionN(1))
	if v.Record.Run != kills+1 || v.Record.Phase != messages.PhaseIdle {
		t.Errorf("%+v", v.Record)
	}
	for n := range 2 * kills {
		s.eventually(fmt.Sprintf("message %d is answered", n+1), func() bool { return r.has("text did " + key(n+1)) })
	}
	s.checkComplete(r, sessionN(1), 0)
}

// The next daemon adopts the agent of the previous one, with the work that was left.
func TestAgentOutlivesTheDaemon(t *testing.T) {
	store, runs := newMemoryStore(), t.TempDir()
	program := filepath.Join(t.TempDir(), "agent")
	os.WriteFile(program, []byte(script), 0o700)
	options := func(o *Options) {
		o.Program, o.RunsDirectory, o.Environment = program, runs, []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"}
	}
	var pid int
	for n := range 4 {
		t.Run(fmt.Sprint("daemon ", n+1), func(t *testing.T) {
			s := raiseKeeping(t, store, options)
			if n == 0 {
				s.open(sessionN(1))
			}
			must[messages.InputAcknowledged](s, message(sessionN(1), 2*n+1))
			v := s.settled(sessionN(1))
			if n > 0 && v.Run.Process.PID != pid {
				t.Errorf("it is process %d, it was %d", v.Run.Process.PID, pid)
			}
			pid = v.Run.Process.PID
			must[messages.InputAcknowledged](s, message(sessionN(1), 2*n+2)) // is left to the next
		})
	}
	s := raise(t, store, options)
	s.settled(sessionN(1))
	r := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
	for n := range 8 {
		s.eventually(fmt.Sprintf("message %d is answered", n+1), func() bool { return r.has("text did " + key(n+1)) })
	}
	s.checkComplete(r, sessionN(1), 0)
}

// An agent that lives and has closed its input is replaced, and its successor gets
// the messages that it had not read.
func TestAgentThatClosesItsInput(t *testing.T) {
	s := withScript(t)
	s.open(sessionN(1))
	r := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
	last := message(sessionN(1), 1)
	last.Content = "close your ears"
	must[messages.InputAcknowledged](s, last)
	pid := s.settled(sessionN(1)).Run.Process.PID
	must[messages.InputAcknowledged](s, message(sessionN(1), 2))
	if v := s.settled(sessionN(1)); v.Record.Run != 2 || alive(pid) {
		t.Errorf("%+v", v.Run)
	}
	s.eventually("the stream shows it", func() bool { return r.has("notice AGENT_DEAF") && r.has("text did "+key(2)) })
	s.checkComplete(r, sessionN(1), 0)
}
