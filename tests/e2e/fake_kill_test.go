package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// TestKilledAtRandom kills the daemon, the agent or its launcher at random instants while messages
// are sent and answered. Then it compares the events of a client with those of a new one, and
// accepted messages with the agent's input.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	const rounds = 12
	s := newStory(t, binaries.fake)
	id := session()
	dice := rand.New(rand.NewPCG(1, 0)) // tests/crash is where other schedules are tried
	var seen []kit.Event
	keys := map[string]bool{}
	last := func() uint64 { return uint64(len(seen)) }
	for round := range rounds {
		c := s.converseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, FromSequence: last()})
		key := uuid.NewString()
		if err := c.Say(key, fmt.Sprintf("stream:40:20:2ms\nrun:echo round-%d\necho:end %d.", round, round)); err != nil {
			t.Fatal(err)
		}
		go func() { // answers each request, also repeated ones
			for from := 0; ; {
				e, next, err := c.Wait(from, func(e kit.Event) bool { return e.GetPermissionRequest() != nil })
				if err != nil {
					return
				}
				from = next
				_ = c.Answer(e.GetPermissionRequest().GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, "") // the stream may be cut
			}
		}()
		time.Sleep(time.Duration(dice.IntN(250)) * time.Millisecond) // the instant is the test
		switch victim := dice.IntN(4); victim {
		case 0, 1:
			s.daemon.Kill()
		default:
			s.killRun(c, id, victim == 2)
		}
		c.Close()
		events, err := kit.Journaled(c.Events(), last()+1)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, events...)
		if s.daemonGone() {
			s.start()
		}
		for _, e := range seen {
			if k := e.GetUserInput().GetIdempotencyKey(); k != "" {
				keys[k] = true
			}
		}
	}
	c := s.converse("a", id)
	go func() {
		for from := 0; ; {
			e, next, err := c.Wait(from, func(e kit.Event) bool { return e.GetPermissionRequest() != nil })
			if err != nil {
				return
			}
			from = next
			_ = c.Answer(e.GetPermissionRequest().GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, "")
		}
	}()
	final := s.say(c, "echo:the end")
	_, next := s.wait(c, 0, func(e kit.Event) bool { return slices.Contains(e.GetTurnComplete().GetInputKeys(), final) })
	s.wait(c, next, kit.IsIdle)
	all, err := kit.Journaled(c.Events(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := kit.Same(seen, all[:len(seen)]); err != nil {
		t.Fatal(err)
	}
	for key := range keys {
		if n := s.accepted(id, key); n != 1 {
			t.Errorf("message %s was taken into the conversation %d times", key, n)
		}
	}
}

// killRun kills the agent of the newest run, or its launcher, by pid.
func (s *story) killRun(c *kit.Stream, id string, launcher bool) {
	shown, err := s.daemon.Admin().ShowSession(s.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil || shown.GetRun() == nil {
		return
	}
	pid := shown.GetRun().GetPid()
	if launcher {
		pid = shown.GetRun().GetLauncherPid()
	}
	if pid <= 1 {
		return
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil || !strings.Contains(string(environ), s.world.Home) {
		return // the process is gone, and the pid may belong to another
	}
	if p, err := os.FindProcess(int(pid)); err == nil {
		_ = p.Kill() // it may be gone
	}
}

func (s *story) daemonGone() bool { return s.daemon.Ended() }
