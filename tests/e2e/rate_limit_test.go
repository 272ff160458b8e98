package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// TestRateLimitParksTheFleet: a limit that one session hits keeps new turns of all from starting, also in the next daemon, and
// leaves a turn that runs. A person ends it; nothing is tried again by the daemon.
func TestRateLimitParksTheFleet(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	first, second, third := session(), session(), session()
	idle := s.converse("b", second)
	s.say(idle, "echo:one")
	s.wait(idle, 0, kit.IsTurnComplete)
	runs := s.converse("c", third)
	s.say(runs, "gate:go\necho:three")
	s.wait(runs, 0, kit.IsStatus(pb.AgentStatus_THINKING))

	hit := s.converse("a", first)
	s.say(hit, "limited:2h")
	_, failed := s.wait(hit, 0, kit.IsTurnComplete)
	s.wait(hit, failed, kit.IsRun(pb.RunState_RUN_STATE_EXITED)) // they are parked
	_, parked := s.wait(idle, 0, kit.IsRun(pb.RunState_RUN_STATE_EXITED))
	s.create("go")
	s.wait(runs, 0, kit.IsTurnComplete)
	key := s.say(idle, "echo:two")
	told, _ := s.wait(idle, parked, isNotice("WAITING_FOR_SLOT"))
	if d := told.GetNotice().GetDetails(); d["reason"] != "rate_limit" || !strings.Contains(told.GetNotice().GetMessage(), "betcode fleet resume") {
		t.Errorf("the cause is not named: %v", told)
	}
	s.wait(idle, 0, func(e kit.Event) bool { return e.GetUserInput().GetIdempotencyKey() == key }) // accepted, before the kill

	end := s.show(first).GetRateLimitedUntil().AsTime()
	if left := time.Until(end); left < time.Hour || left > 2*time.Hour {
		t.Fatalf("limited until %s", end)
	}
	shown := func() {
		t.Helper()
		text := "rate limited until " + end.UTC().Format(time.RFC3339)
		s.eventually("two sessions are limited", func() bool { // the daemon may still be starting them
			return s.cliJSON(0, "daemon", "status")["rate_limited_sessions"] == float64(2)
		})
		for command, want := range map[string]string{
			"fleet status": "Rate limited until " + end.UTC().Format(time.RFC3339), "fleet status --json": `"rate_limited_until"`,
			"daemon status": "Rate limit: 2 sessions, " + text, "session list": "place 1: the account is rate limited; " + text,
			"session show " + first: text, "session list --json": `"rate_limit"`, "daemon status --json": `"rate_limited_until"`,
		} {
			if said := s.cli(0, strings.Fields(command)...); !strings.Contains(said, want) {
				t.Errorf("%s does not say %q:\n%s", command, want, said)
			}
		}
	}
	shown()
	s.killDaemon()
	shown()
	if said := s.cli(0, "fleet", "resume"); strings.Contains(said, "ate limited until") {
		t.Errorf("after the resume:\n%s", said)
	}
	idle = s.converse("b", second)
	s.wait(idle, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "two") })
	view, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: first})
	if err != nil || view.GetRun().GetRun() > 1 || len(view.GetInputs()) > 0 {
		t.Errorf("the turn that was refused is tried again: %v, %v", view, err)
	}
	hit = s.converseFromNow("a", first)
	s.say(hit, "echo:through")
	s.wait(hit, 0, kit.IsIdle)
	if summary := s.show(first); summary.GetRateLimited() || summary.GetRateLimitedUntil() != nil {
		t.Errorf("after a success: %v", summary)
	}
	if said := s.cli(0, "daemon", "status"); strings.Contains(said, "Rate limit") {
		t.Errorf("after a success:\n%s", said)
	}
}

// TestRateLimitEndsByItself: sessions that wait for the end of a limit start then, without a client that asks for it.
func TestRateLimitEndsByItself(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	hit := s.converse("a", session())
	s.say(hit, "limited:4s")
	s.wait(hit, 0, kit.IsTurnComplete)
	var waiting []*kit.Stream
	for n := range 3 {
		c := s.converse("b", session())
		s.say(c, fmt.Sprintf("echo:later %d", n))
		waiting = append(waiting, c)
	}
	for _, c := range waiting {
		s.wait(c, 0, kit.IsTurnComplete)
	}
	if said := s.cli(0, "fleet", "status"); strings.Contains(said, "ate limited") {
		t.Errorf("it holds after its end:\n%s", said)
	}
}
