package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// A limit of the account is shown until a turn succeeds, for each session and for the
// whole daemon. Nothing is tried again: neither by this daemon nor by the next.
func TestRateLimitIsShown(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	const fleet = 4
	ids, streams, next := make([]string, fleet), make([]*kit.Stream, fleet), make([]int, fleet)
	for n := range fleet {
		ids[n] = session()
		streams[n] = s.converse("a", ids[n])
		s.say(streams[n], fmt.Sprintf("limited:%dh", n+1))
	}
	for n, c := range streams {
		_, next[n] = s.wait(c, 0, kit.IsTurnComplete)
		_, next[n] = s.wait(c, next[n], kit.IsIdle)
	}
	last := s.show(ids[fleet-1]).GetRateLimitedUntil().AsTime()
	if left := time.Until(last); left < 3*time.Hour || left > fleet*time.Hour {
		t.Fatalf("limited until %s", last)
	}
	shown := func() {
		t.Helper()
		text := "rate limited until " + last.UTC().Format(time.RFC3339)
		status := s.cliJSON(0, "daemon", "status")
		if got := status["rate_limited_sessions"]; got != float64(fleet) {
			t.Errorf("%v sessions are limited: %v", got, status)
		}
		for command, want := range map[string]string{
			"daemon status": fmt.Sprintf("Rate limit: %d session(s), %s", fleet, text), "session list": "idle, " + text, "session show " + ids[fleet-1]: text,
			"session list --json": `"rate_limited_until"`, "session show --json " + ids[0]: `"rate_limited_until"`, "daemon status --json": `"rate_limited_until"`,
		} {
			if said := s.cli(0, strings.Fields(command)...); !strings.Contains(said, want) {
				t.Errorf("%s does not say %q:\n%s", command, want, said)
			}
		}
	}
	shown()
	s.killDaemon()
	shown()
	for n, id := range ids {
		view, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
		if err != nil || view.GetRun().GetRun() > 1 || len(view.GetInputs()) > 0 {
			t.Errorf("session %d is tried again: %v, %v", n, view, err)
		}
		c := s.converseFromNow("a", id)
		s.say(c, "echo:through")
		s.wait(c, 0, kit.IsIdle)
		if summary := s.show(id); summary.GetRateLimited() || summary.GetRateLimitedUntil() != nil {
			t.Errorf("after a success: %v", summary)
		}
	}
	if said := s.cli(0, "daemon", "status"); strings.Contains(said, "Rate limit") {
		t.Errorf("after a success:\n%s", said)
	}
}
