package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

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

// TestAgentThatFloods: the daemon's memory is bounded during a flood, also with a client that does
// not read.
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
	peak := s.peakMemory()
	t.Logf("peak %d MB after 100 MB of text", peak)
	if peak > 256 {
		t.Errorf("the daemon has held %d MB", peak)
	}
}

// peakMemory is the most that the daemon has held so far, in MB.
func (s *story) peakMemory() int {
	s.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.daemon.PID()))
	if err != nil {
		s.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var peak int
	if _, err := fmt.Sscan(after, &peak); err != nil {
		s.Fatal(err)
	}
	return peak >> 10
}

// freezeReasons returns the reasons for which the agent of a session is frozen, from the tree.
func (s *story) freezeReasons(session string) string {
	s.Helper()
	tree, err := s.daemon.Admin().GetTree(s.Context(), &pb.GetTreeRequest{})
	if err != nil {
		s.Fatal(err)
	}
	why := ""
	var look func(node *pb.TreeNode, inside bool)
	look = func(node *pb.TreeNode, inside bool) {
		inside = inside || node.GetName() == "session/"+session
		if frozen := node.GetDetails()["frozen"]; inside && frozen != "" {
			why = frozen
		}
		for _, child := range node.GetChildren() {
			look(child, inside)
		}
	}
	look(tree, false)
	return why
}

// TestAgentThatMakesNoise: an agent writes garbage as fast as a disk takes it, for as long as
// others need for their turns. It is frozen whenever it is too far ahead, so unread output and the
// memory of the daemon are bounded.
func TestAgentThatMakesNoise(t *testing.T) {
	t.Parallel()
	const quota = 4 << 20
	s := newStory(t, binaries.fake, fmt.Sprintf("BETCODE_SPOOL_QUOTA=%d", quota))
	id := session()
	c := s.converse("a", id)
	s.say(c, "noise:enough\necho:and quiet")
	s.wait(c, 0, kit.IsStatus(pb.AgentStatus_THINKING))
	c.Close() // the noise is not for the memory of this test
	s.eventually("it is held", func() bool { return strings.Contains(s.freezeReasons(id), "spool quota") })

	began := time.Now()
	others := []*kit.Stream{s.converse("b", session()), s.converse("c", session())}
	for turn, next := 0, make([]int, len(others)); turn < 5; turn++ {
		for i, other := range others {
			s.say(other, fmt.Sprintf("echo:turn %d", turn))
			_, next[i] = s.wait(other, next[i], kit.IsIdle)
		}
	}
	if got := s.show(id).GetStatus(); got != "active" {
		t.Errorf("the noise is over before the turns of the others are: %s", got)
	}
	spool := filepath.Join(s.world.StateDir(), "runs", id, "1", "stdout")
	var written, taken int64
	if info, err := os.Stat(spool); err != nil {
		t.Error(err)
	} else {
		written, taken = info.Size(), info.Sys().(*syscall.Stat_t).Blocks*512
	}
	s.create("enough")
	s.eventually("it is quiet", func() bool { return s.show(id).GetStatus() == "idle" })
	t.Logf("%d MB of noise, %d MB of them in the spool when ten turns were over after %s; peak %d MB",
		written>>20, taken>>20, time.Since(began).Round(time.Millisecond), s.peakMemory())
	if s.peakMemory() > 256 {
		t.Errorf("the daemon has held %d MB", s.peakMemory())
	}
	if most := int64(16*quota + 64<<20); taken > most { // output until the freeze took effect, and output that is not archived yet
		t.Errorf("the spool takes %d bytes of the disk; %d were expected at most", taken, most)
	}
}
