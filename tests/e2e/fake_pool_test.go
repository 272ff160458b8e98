package e2e

import (
	"os/exec"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// TestPoolParksWhoRests: with one slot, a second session waits for the end of the first one's turn; then the idle agent is parked
// and the second one runs. The first conversation goes on later.
func TestPoolParksWhoRests(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_MAX_AGENTS=1")
	first := s.converse("a", session())
	s.say(first, "gate:go\necho:first")
	s.wait(first, 0, kit.IsStatus(pb.AgentStatus_THINKING))
	second := s.converse("b", session())
	s.say(second, "echo:second")
	s.wait(second, 0, func(e kit.Event) bool { return e.GetNotice().GetCode() == "WAITING_FOR_SLOT" })
	s.create("go")
	_, next := s.wait(first, 0, kit.IsIdle)
	s.wait(first, next, kit.IsRun(pb.RunState_RUN_STATE_EXITED))
	s.wait(second, 0, kit.IsTurnComplete)
	_, end := s.wait(second, 0, kit.IsIdle)
	s.say(first, "echo:again")
	s.wait(second, end, kit.IsRun(pb.RunState_RUN_STATE_EXITED))
	s.wait(first, next, func(e kit.Event) bool { return e.GetRun().GetResumed() })
	s.wait(first, next, kit.IsTurnComplete)
	for _, stream := range []*kit.Stream{first, second} {
		for _, e := range stream.Events() {
			if e.GetError() != nil {
				t.Errorf("parking is published as an error: %s", kit.Line(e))
			}
		}
	}
}

// TestPoolParksWhoWaitsForAPerson: with one slot, a session with an unanswered request holds up
// another one for the hold and no longer, also if the settings shorten it meanwhile; the request stays, and the answer
// resumes the agent.
func TestPoolParksWhoWaitsForAPerson(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_MAX_AGENTS=1")
	id := session()
	first := s.converse("a", id)
	s.say(first, "run:echo done >> made.txt")
	asked, _ := s.wait(first, 0, kit.IsPermission)
	s.settledOnDisk(id, "tool_use")
	second := s.converse("b", session())
	s.say(second, "echo:second")
	told, _ := s.wait(second, 0, isNotice("WAITING_FOR_SLOT"))
	if got := told.GetNotice().GetDetails()["waiting_for_a_person"]; got != id {
		t.Errorf("the notice says that %q waits for a person", got)
	}
	if text := told.GetNotice().GetMessage(); !strings.Contains(text, id) || !strings.Contains(text, "betcode permission list") {
		t.Errorf("the notice does not name the session or the remedy: %s", text)
	}
	if said, code := s.command(binaries.betcode, []string{"session", "list"}); code != 0 || !strings.Contains(said, "place 1: all agents are busy; agents that wait for an answer: "+id[:8]) {
		t.Errorf("the list does not name the cause: exit %d: %s", code, said)
	}
	run := exec.Command(binaries.betcode, "run", "--cwd", s.world.Project, "echo:third")
	var said shared
	run.Env, run.Dir, run.Stdout, run.Stderr = s.world.Environ(), s.world.Root, &said, &said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	s.eventually("run names the cause", func() bool { return strings.Contains(said.String(), "wait for an answer ("+id) })
	s.cli(0, "config", "set", "pool.waiting_hold", "1s")
	s.wait(first, 0, isNotice("PARKED_WAITING"))
	s.wait(second, 0, kit.IsTurnComplete)
	if err := run.Wait(); err != nil || !strings.Contains(said.String(), "third") {
		t.Errorf("run ends with %v: %s", err, said.String())
	}
	if s.exists("made.txt") {
		t.Error("the tool ran unasked")
	}
	s.killDaemon()
	first = s.converseWith("a", &pb.StartConversation{SessionId: id})
	s.answer(first, asked, pb.PermissionDecision_DENY, "no")
	_, resumed := s.wait(first, 0, func(e kit.Event) bool {
		return e.GetRun().GetResumed() && e.GetRun().GetState() == pb.RunState_RUN_STATE_STARTED
	})
	s.wait(first, resumed, kit.IsIdle)
}

// TestPoolWaitsForMemory: a message is accepted although there is too little memory for an agent, and its turn runs when there is
// enough.
func TestPoolWaitsForMemory(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_POOL_MIN_FREE_MEMORY=") // the default of the settings
	s.cli(0, "config", "set", "pool.min_free_memory", "16TiB")
	s.eventually("the setting is in force", func() bool {
		c := s.converse("a", session())
		s.say(c, "echo:once")
		e, _ := s.wait(c, 0, func(e kit.Event) bool { return isNotice("WAITING_FOR_SLOT")(e) || kit.IsTurnComplete(e) })
		return e.GetNotice().GetDetails()["reason"] == "memory"
	})
	if said := s.cli(0, "fleet", "status"); !strings.Contains(said, "too little memory is available") || !strings.Contains(said, "MiB needed") {
		t.Errorf("the status does not name the cause:\n%s", said)
	}
	if said := s.cli(0, "session", "list"); !strings.Contains(said, "place 1: too little memory is available") {
		t.Errorf("the list does not name the cause:\n%s", said)
	}
	c := s.converse("b", session())
	s.say(c, "echo:twice")
	s.wait(c, 0, isNotice("WAITING_FOR_SLOT"))
	s.cli(0, "config", "set", "pool.min_free_memory", "1MiB")
	s.cli(0, "config", "set", "agent.memory_estimate", "1MiB")
	s.wait(c, 0, kit.IsTurnComplete)
}
