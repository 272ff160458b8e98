package e2e

import (
	"context"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// Agents that misbehave: the line they should have written is kept or skipped,
// the turn goes on, and nothing of the session is lost.

func TestMisbehavingLines(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"garbage", "blank", "crlf", "invalid-utf8", "unknown-type", "stderr:2MB", "withdraw", "biglines:20MB",
	} {
		t.Run(strings.Split(prompt, ":")[0], func(t *testing.T) {
			t.Parallel()
			s := newStory(t, binaries.fake)
			id := session()
			c := s.converse("a", id)
			s.say(c, prompt+"\necho:after the storm")
			_, next := s.wait(c, 0, kit.IsIdle)
			if got := kit.Text(c.Events()); !strings.HasSuffix(got, "after the storm") {
				t.Errorf("text ends %.100q", got[max(0, len(got)-100):])
			}
			s.say(c, "echo:still here")
			s.wait(c, next, kit.IsIdle)
			for _, e := range c.Events() {
				if len(e.Raw) > 4<<20 {
					t.Errorf("event %d has %d bytes", e.GetSequence(), len(e.Raw))
				}
			}
			s.sameHistory(c, id)
		})
	}
}

func TestUnknownIsKept(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	c := s.converse("a", session())
	s.say(c, "unknown-type")
	s.wait(c, 0, kit.IsIdle)
	kept := 0
	for _, e := range c.Events() {
		if e.GetRaw() != nil {
			kept++
		}
	}
	if kept == 0 {
		t.Error("no line of an unknown type was kept")
	}
}

// TestAgentDiesInTurn: a torn last line, SIGKILL in the middle of a turn. The daemon restarts the
// agent, the message is in its conversation once, and the client gets the torn line as a raw
// record.
func TestAgentDiesInTurn(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	key := s.say(c, "torn-exit\necho:second try")
	s.wait(c, 0, func(e kit.Event) bool { return e.GetError().GetCode() == "SUBPROCESS_CRASHED" })
	s.wait(c, 0, kit.IsIdle)
	if got := kit.Text(c.Events()); !strings.HasSuffix(got, "second try") {
		t.Errorf("text %q", got)
	}
	torn, runs := false, 0
	for _, e := range c.Events() {
		torn = torn || e.GetRaw().GetReason() == "truncated"
		if kit.IsRun(pb.RunState_RUN_STATE_STARTED)(e) {
			runs++
		}
	}
	if !torn || runs != 2 {
		t.Errorf("torn line kept: %v, runs: %d\n%s", torn, runs, kit.Describe(c.Events()))
	}
	if n := s.accepted(id, key); n != 1 {
		t.Errorf("the message was taken into the conversation %d times", n)
	}
	s.sameHistory(c, id)
}

// TestAgentKeepsDying: after five crashes in a minute the session gives up and reports it; the next
// message tries again.
func TestAgentKeepsDying(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "FAKE_AGENT_EXIT_AT_START=3")
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:never")
	s.wait(c, 0, func(e kit.Event) bool { return e.GetNotice().GetCode() == "AGENT_GAVE_UP" })
	shown, err := s.daemon.Admin().ShowSession(context.Background(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil {
		t.Fatal(err)
	}
	if got := shown.GetSummary().GetStatus(); got != "crashed" {
		t.Errorf("status %q", got)
	}
	crashes := 0
	for _, e := range c.Events() {
		if e.GetError().GetCode() == "SUBPROCESS_CRASHED" {
			crashes++
		}
	}
	if crashes < 5 { // more if they do not come within a minute
		t.Errorf("%d crashes were published", crashes)
	}
}

// TestLongMessage: a line longer than the pipe is written between turns.
func TestLongMessage(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	key := s.say(c, "echo:long\n"+strings.Repeat("x", 2<<20))
	s.wait(c, 0, kit.IsIdle)
	if n := s.accepted(id, key); n != 1 {
		t.Errorf("the message was taken into the conversation %d times", n)
	}
}

// TestSpoolQuota: an agent that writes faster than the journal commits is frozen again and again
// until its output is read, and nothing is missing.
func TestSpoolQuota(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_SPOOL_QUOTA=2MiB")
	id := session()
	c := s.converse("a", id)
	s.say(c, "flood:40000:200\necho:the end")
	_, next := s.wait(c, 0, isNotice("SPOOL_QUOTA"))
	s.wait(c, next, isNotice("AGENT_GOES_ON"))
	s.wait(c, next, kit.IsIdle)
	if text := kit.Text(c.Events()); len(text) < 40000*200 || !strings.HasSuffix(text, "the end") {
		t.Errorf("%d bytes of text", len(text))
	}
	s.sameHistory(c, id)
}
