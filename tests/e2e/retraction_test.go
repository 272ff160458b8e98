package e2e

import (
	"slices"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// TestTextIsTakenBack plays an agent that replaces a finished text: the event names its block, it
// is replayed like any other, and `betcode run` prints the final text. A client of the published
// API sees an event without anything it knows.
func TestTextIsTakenBack(t *testing.T) {
	t.Parallel()
	for prompt, reason := range map[string]string{"supersede": "superseded", "refuse": "refused"} {
		t.Run(prompt, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, binaries.fake)
			id := session()
			c := s.converse("a", id)
			s.say(c, prompt)
			e, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetRetraction() != nil })
			if e.GetSequence() == 0 || e.GetRetraction().GetReason() != reason {
				t.Errorf("%v", e)
			}
			_, end := s.wait(c, 0, kit.IsIdle)
			shown := map[string]string{}
			for _, e := range c.Events()[:end] {
				shown[e.GetTextDelta().GetBlockId()] += e.GetTextDelta().GetText()
			}
			blocks := e.GetRetraction().GetBlockIds()
			if len(blocks) != 1 || shown[blocks[0]] != "This text goes away." {
				t.Errorf("took back %v of %v", blocks, shown)
			}
			s.sameHistory(c, id)
			known := e.ProtoReflect().Descriptor().Oneofs().ByName("event").Fields()
			if n := known.ByName("retraction").Number(); n < 100 {
				t.Errorf("field %d is one of the published numbers", n)
			}
			if got := s.cli(0, "run", prompt); !strings.Contains(got, "This text stays.") || strings.Contains(got, "goes away") {
				t.Errorf("run prints %q", got)
			}
			if replayed := s.replay(id, 1); !slices.ContainsFunc(replayed, func(e kit.Event) bool { return e.GetRetraction() != nil }) {
				t.Error("the history does not have it")
			}
		})
	}
}
