package run

import (
	"slices"
	"testing"

	"betcode/actors/internal/act"
	"betcode/messages"
)

func TestRunOfAFrozenAgent(t *testing.T) {
	s := state{record: messages.RunRecord{Run: 1}, phase: phaseLive}
	has := func(effects []act.Effect, want act.Effect) bool {
		return slices.ContainsFunc(effects, func(e act.Effect) bool { return e == want })
	}
	s, effects := s.step(dawn, Freeze{Alarm, true})
	if !has(effects, freeze{1}) {
		t.Fatalf("%v", effects)
	}
	interrupted, effects := s.step(dawn, Interrupt{"i"})
	if has(effects, thaw{}) || interrupted.frozen != Alarm {
		t.Errorf("an interrupt lets it go on: %v", effects)
	}
	_, effects = s.step(dawn, Stop{StopOrderly})
	if has(effects, thaw{}) || !has(effects, killTree{}) {
		t.Errorf("it is let go on to end: %v", effects)
	}
	_, effects = s.step(dawn, Freeze{Alarm, false})
	if !has(effects, thaw{}) {
		t.Errorf("a person's decision changes nothing: %v", effects)
	}
}
