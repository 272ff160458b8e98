package run

import (
	"testing"

	"betcode/actors/internal/spool"
	"betcode/messages"
)

// A live spool is archived in whole steps, and never up to its committed end.
func TestLiveSpoolIsArchivedInSteps(t *testing.T) {
	if !spool.Punches {
		t.Skip("room is given back at the end only")
	}
	s := state{record: messages.RunRecord{Run: 3}, credits: 9, phase: phaseLive}
	for _, c := range []struct{ journaled, want int64 }{
		{archiveStep - 1, 0},
		{archiveStep, 0},
		{archiveStep + 1, archiveStep},
		{2 * archiveStep, 0},
		{5*archiveStep + 100, 5 * archiveStep},
		{5*archiveStep + 200, 0},
	} {
		next, effects := s.step(dawn, messages.Credit{Run: 3, Journaled: c.journaled})
		got := int64(0)
		for _, e := range effects {
			if e, ok := e.(archiveSpool); ok {
				got = e.to
			}
		}
		if got != c.want {
			t.Errorf("%d are journaled: archived up to %d, want %d", c.journaled, got, c.want)
		}
		s = next
	}
}
