package e2e

import (
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// TestPoolParksWhoRests: with one slot, a second session waits for the first
// one's turn; then the resting agent is parked and the second one runs; the
// first conversation goes on where it was.
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
				t.Errorf("parking is told as an error: %s", kit.Line(e))
			}
		}
	}
}
