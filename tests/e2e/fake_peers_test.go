package e2e

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// Published failures of similar daemons, which do not happen here. docs/notes/reliability.md lists
// them.

// ownBinary gives the story a copy of the program, and a daemon of that.
func (s *story) ownBinary() string {
	s.Helper()
	s.world.Binary = filepath.Join(s.world.Root, "betcode")
	from, err := os.Open(binaries.betcode)
	if err != nil {
		s.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(s.world.Binary, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		s.Fatal(err)
	}
	_, err = io.Copy(to, from)
	if closed := to.Close(); err != nil || closed != nil {
		s.Fatal(err, closed)
	}
	s.killDaemon()
	return s.world.Binary
}

// The program is replaced while it runs, by one that cannot run at all: the daemon
// still starts agents, and goes on with those it has.
func TestProgramIsReplaced(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	program := s.ownBinary()
	first := s.converse("a", session())
	s.say(first, "echo:before")
	_, next := s.wait(first, 0, kit.IsIdle)
	broken := filepath.Join(s.world.Root, "broken")
	if err := os.WriteFile(broken, []byte("no program"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(broken, program); err != nil {
		t.Fatal(err)
	}
	second := s.converse("a", session())
	s.say(second, "echo:started after")
	s.wait(second, 0, kit.IsIdle)
	s.say(first, "echo:goes on")
	s.wait(first, next, kit.IsIdle)
	for _, text := range []string{kit.Text(first.Events()), kit.Text(second.Events())} {
		if text != "beforegoes on" && text != "started after" {
			t.Errorf("text %q", text)
		}
	}
}

// The agent's program is missing for a while, as during its own upgrade: the session reports that,
// and when the program is back the next message completes all pending work.
func TestAgentProgramComesBack(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "claude")
	install := func() {
		if err := os.Symlink(binaries.fake, program); err != nil {
			t.Fatal(err)
		}
	}
	install()
	s := newStory(t, program)
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:before.")
	_, next := s.wait(c, 0, kit.IsIdle)
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	s.killRun(c, id, false)
	_, next = s.wait(c, next, kit.IsRun(pb.RunState_RUN_STATE_EXITED))
	waited := s.say(c, "echo:meanwhile.")
	s.wait(c, next, isError("AGENT_MISSING"))
	install()
	last := s.say(c, "echo:after.")
	for _, key := range []string{waited, last} {
		s.completed(c, key)
		if n := s.accepted(id, key); n != 1 {
			t.Errorf("message %s was taken into the conversation %d times", key, n)
		}
	}
}

// Without a daemon, agents and launchers wait without using the processor.
func TestNobodySpinsWithoutADaemon(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:touch made.txt")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	s.daemon.Kill()
	left := s.world.Left()
	if len(left) != 2 {
		t.Errorf("agent and launcher are %v", left)
	}
	const window, windows, enough = time.Second, 60, 2 // ticks of 10 ms; a busy loop uses a hundred
	used := ticks(t, left)
	for range windows {
		time.Sleep(window)
		before := used
		if used = ticks(t, left); used-before <= enough {
			s.start()
			c = s.converse("a", id)
			s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
			s.wait(c, 0, kit.IsIdle)
			return
		}
	}
	t.Errorf("%v are never quiet for %s", left, window)
}

// ticks is the processor time that processes have used.
func ticks(t *testing.T, pids []int) (sum int) {
	t.Helper()
	for _, pid := range pids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		var user, system int
		if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
			t.Fatal(err)
		}
		sum += user + system
	}
	return sum
}

// Several people start the daemon at the same time: one daemon serves, and each successful command
// can use it.
func TestManyStartsAtOnce(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.daemon.Kill()
	codes := make([]int, 6)
	var all sync.WaitGroup
	for i := range codes {
		all.Go(func() {
			said, code := s.command(s.world.Binary, []string{"daemon", "start"})
			if codes[i] = code; code == 0 {
				if said, code := s.command(s.world.Binary, []string{"daemon", "status"}); code != 0 {
					t.Errorf("it serves, and then: exit %d\n%s", code, said)
				}
			} else if !strings.Contains(said, "another daemon") {
				t.Errorf("exit %d\n%s", code, said)
			}
		})
	}
	all.Wait()
	if !slices.Contains(codes, 0) {
		t.Errorf("it was not started: %v", codes)
	}
	s.eventually("there is one daemon", func() bool { return len(s.world.Left()) == 1 })
	s.stopBackground()
}

// The records of a run are damaged: the daemon starts, the session goes on, with the same agent or
// with another one, and no process is left over.
func TestDamagedRunRecords(t *testing.T) {
	t.Parallel()
	damages := map[string]func(path string) error{
		"garbage": func(path string) error { return os.WriteFile(path, []byte("\x00{]not a record"), 0o600) },
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"gone":    os.Remove,
	}
	for name, damage := range damages {
		for _, record := range []string{"launcher.json", "exit.json", "lock"} {
			for _, killed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/agent killed %t", record, name, killed), func(t *testing.T) {
					t.Parallel()
					s := newStory(t, binaries.fake)
					id := session()
					c := s.converse("a", id)
					s.say(c, "echo:before")
					s.wait(c, 0, kit.IsIdle)
					agent := s.agent(id)
					s.daemon.Kill()
					if p, err := os.FindProcess(agent); killed && err == nil {
						_ = p.Kill()
						s.eventually("the agent has ended", func() bool { return !slices.Contains(s.world.Left(), agent) })
					}
					path := filepath.Join(s.world.StateDir(), "runs", id, "1", record)
					if err := damage(path); err != nil && !os.IsNotExist(err) {
						t.Fatal(err)
					}
					s.start()
					c = s.converse("a", id)
					key := s.say(c, "echo:after")
					s.completed(c, key)
					if n := s.accepted(id, key); n != 1 {
						t.Errorf("the message was taken into the conversation %d times", n)
					}
				})
			}
		}
	}
}

// A turn that was cancelled does not go on when its agent had to be ended for that,
// nor when the agent dies afterwards.
func TestCancelledTurnIsNotRunAgain(t *testing.T) {
	t.Parallel()
	for name, prompt := range map[string]string{
		"agent listens": "gate:go\nrun:touch made.txt",
		"agent hangs":   "hang\nrun:touch made.txt",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, binaries.fake)
			id := session()
			c := s.converse("a", id)
			key := s.say(c, prompt)
			s.settledOnDisk(id, key)
			cancel(s, c)
			_, next := s.wait(c, 0, kit.IsTurnComplete)
			s.wait(c, next, kit.IsIdle)
			s.create("go")
			s.killRun(c, id, false)
			last := s.say(c, "echo:something else")
			s.completed(c, last)
			if n := s.permissions(c); n > 0 {
				t.Errorf("the cancelled turn goes on:\n%s", kit.Describe(c.Events()))
			}
		})
	}
}

// A message that comes when a turn is just ending badly belongs to the next one.
func TestMessageMeetsTheEndOfATurn(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	var keys []string
	for i := range 20 {
		keys = append(keys, s.say(c, "error:500"), s.say(c, fmt.Sprintf("echo:answer %d", i)))
	}
	for _, key := range keys {
		s.completed(c, key)
		if n := s.accepted(id, key); n != 1 {
			t.Errorf("message %s was taken into the conversation %d times", key, n)
		}
	}
}

// What an agent has started ends with its session.
func TestStopEndsWhatTheAgentStarted(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:setsid sleep 1001 & (sleep 1002 &); touch started.txt; sleep 1003")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.waitFile("started.txt")
	if _, err := s.daemon.Admin().StopSession(t.Context(), &pb.StopSessionRequest{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	s.eventually("only the daemon is left", func() bool {
		left := s.world.Left()
		return len(left) == 1 && left[0] == s.daemon.PID()
	})
}
