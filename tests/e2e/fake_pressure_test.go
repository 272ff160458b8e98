package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// Agents that do not read, and agents that write as fast as they can.

// TestAgentThatDoesNotRead: its pipe is full, and everything that was accepted
// meanwhile is in the conversation once when it has been replaced. Nobody else
// notices.
func TestAgentThatDoesNotRead(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	keys := []string{s.say(c, "hang")}
	s.settledOnDisk(id, keys[0])
	for i := range 60 { // more than fits into any pipe
		keys = append(keys, s.say(c, fmt.Sprintf("echo:%d%s", i, strings.Repeat(" and so on", 300))))
	}
	keys = append(keys, s.say(c, "echo:"+strings.Repeat("a long one ", 30_000)), s.say(c, "echo:the last one"))
	s.wait(c, 0, func(e kit.Event) bool { return e.GetUserInput().GetIdempotencyKey() == keys[len(keys)-1] })

	other := s.converse("b", session())
	s.say(other, "echo:undisturbed")
	s.wait(other, 0, kit.IsIdle)

	s.killDaemon() // the next one meets the full pipe
	c = s.converse("a", id)
	s.wait(c, 0, kit.IsRun(pb.RunState_RUN_STATE_ADOPTED))
	s.killRun(c, id, false)
	for _, key := range keys {
		s.completed(c, key)
		if n := s.accepted(id, key); n != 1 {
			t.Errorf("message %s was taken into the conversation %d times", key, n)
		}
	}
}

// TestAgentThatFloods: the daemon holds what it needs and not what it has seen,
// with a client that does not read as well.
func TestAgentThatFloods(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.wait(c, 0, func(e kit.Event) bool { return e.GetSequence() == 1 })
	if _, err := s.daemon.Agents().ResumeSession(t.Context(), &pb.ResumeSessionRequest{SessionId: id, Follow: true}); err != nil {
		t.Fatal(err) // it is never read
	}
	s.say(c, "flood:100000:1000")
	s.wait(c, 0, kit.IsTurnComplete)
	var peak int
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.daemon.PID()))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(after, &peak); err != nil {
		t.Fatal(err)
	}
	t.Logf("peak %d MB after 100 MB of text", peak>>10)
	if peak > 256<<10 {
		t.Errorf("the daemon has held %d MB", peak>>10)
	}
}
