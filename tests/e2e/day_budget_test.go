package e2e

import (
	"strings"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// TestDayBudget: what all sessions consume counts for one limit. At it new turns of all sessions wait, and people are asked once. The
// daemon is killed: the hold and the request are those of before. A session that is deleted stays counted. The answer lets all go on,
// for the day, also in the next daemon.
func TestDayBudget(t *testing.T) {
	t.Parallel()
	awayFromMidnight(t)
	s := newStory(t, binaries.fake)
	s.cli(0, "config", "set", "budget.day_usd", "0.000300")
	spender := session()
	c := s.converse("a", spender)
	s.say(c, "echo:first")
	s.wait(c, 0, kit.IsTurnComplete)
	s.rests(c, 0)
	first, second := session(), session()
	a := s.converse("a", first)
	s.say(a, "echo:one")
	s.wait(a, 0, kit.IsTurnComplete)
	s.rests(a, 0)
	if day := s.day(); day.GetSpent().GetCostMicros() != 2*turnMicros || day.GetState() != "reached" || day.GetSessionId() != "" {
		t.Fatalf("%v", day)
	}
	s.cli(0, "session", "delete", "--yes", spender)

	s.say(a, "echo:two")
	asked, _ := s.wait(a, 0, isBudget)
	if text := asked.GetPermissionRequest().GetDescription(); !strings.Contains(text, "to $0.000600; denied") {
		t.Errorf("it asks %q", text)
	}
	b := s.converse("b", second)
	s.say(b, "echo:other")
	s.eventually("both wait", func() bool { return s.day().GetWaiting() == 2 })
	if printed := s.cli(0, "session", "list"); !strings.Contains(printed, "\tthe budget of the day is used\n") || !strings.Contains(printed, "\traise the budget of all sessions for ") {
		t.Errorf("the list is\n%s", printed)
	}

	s.killDaemon()
	s.eventually("both wait in the next daemon", func() bool { return s.day().GetWaiting() == 2 })
	if printed := s.cli(0, "fleet", "status"); !strings.Contains(printed, "Today: $0.000368") || !strings.Contains(printed, "2 sessions in the queue") || !strings.Contains(printed, "betcode permission list") {
		t.Errorf("the command prints\n%s", printed)
	}
	list, err := s.daemon.Admin().ListPermissions(s.Context(), &pb.ListPermissionsRequest{})
	if err != nil || len(list.GetPermissions()) != 1 || list.GetPermissions()[0].GetRequestId() != asked.GetPermissionRequest().GetRequestId() {
		t.Fatalf("%v, %v", list, err)
	}
	for _, id := range []string{first, second} {
		if sum := s.show(id); sum.GetStatus() != "waiting" || sum.GetWaiting() != "budget_day" || sum.GetBudget().GetHeld() != "budget_day" {
			t.Errorf("%v", sum)
		}
	}
	a = s.converse("a", first)
	again, _ := s.wait(a, 0, func(e kit.Event) bool { return isBudget(e) && e.GetPermissionRequest().GetIsReplay() })
	s.answer(a, again, pb.PermissionDecision_ALLOW_ONCE, "")
	s.eventually("both have gone on", func() bool { return s.day().GetSpent().GetCostMicros() >= 4*turnMicros })
	s.killDaemon()
	if day := s.day(); day.GetLimit().GetCostMicros() != 600 || day.GetSpent().GetCostMicros() < 4*turnMicros {
		t.Errorf("the next daemon has %v", day)
	}
}

// TestDayBudgetRefused: after a denial all sessions wait, also in the next daemon, without another request until the setting
// changes. A limit in the settings of a repository, trusted or not, has no effect.
func TestDayBudgetRefused(t *testing.T) {
	t.Parallel()
	awayFromMidnight(t)
	s := newStory(t, binaries.fake)
	s.cli(0, "config", "set", "budget.day_usd", "0.000100")
	s.write(".claude/settings.json", `{"budget": {"day_usd": "1000"}}`)
	s.cli(0, "trust", "--yes", s.world.Project)
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:first")
	s.wait(c, 0, kit.IsTurnComplete)
	s.rests(c, 0)
	s.say(c, "echo:second")
	asked, _ := s.wait(c, 0, isBudget)
	s.answer(c, asked, pb.PermissionDecision_DENY, "")
	s.wait(c, 0, isNotice("DAY_BUDGET_REFUSED"))
	s.killDaemon()
	s.eventually("the refusal is known", func() bool { return s.day().GetRefused() && s.day().GetWaiting() == 1 })
	if list, err := s.daemon.Admin().ListPermissions(s.Context(), &pb.ListPermissionsRequest{}); err != nil || len(list.GetPermissions()) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	s.cli(0, "config", "set", "budget.day_usd", "5")
	s.eventually("it has gone on", func() bool { return s.day().GetSpent().GetCostMicros() == 2*turnMicros })
	if day := s.day(); day.GetState() != "ok" || day.GetRefused() || day.GetWaiting() != 0 {
		t.Errorf("%v", day)
	}
}

// day returns the state of the budget of the day, from the running daemon.
func (s *story) day() *pb.DayBudget {
	s.Helper()
	state, err := s.daemon.Fleet().GetFleet(s.Context(), &pb.GetFleetRequest{})
	if err != nil {
		s.Fatal(err)
	}
	return state.GetFleet().GetDay()
}

// awayFromMidnight skips a test that a new day would end.
func awayFromMidnight(t *testing.T) {
	t.Helper()
	now := time.Now()
	if now.Add(5*time.Minute).Format(time.DateOnly) != now.Format(time.DateOnly) {
		t.Skip("a new day begins in five minutes, and with it another budget")
	}
}
