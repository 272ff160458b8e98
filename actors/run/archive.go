package run

import (
	"betcode/actors/internal/act"
	"betcode/actors/internal/spool"
)

// archiveStep is how much of a live spool is archived at once.
const archiveStep = 8 << 20

// archiveSpool is an effect: archive the live spool up to an offset.
type archiveSpool struct{ to int64 }

func (archiveSpool) Effect() {}

// archive archives the journaled part of the spool, in whole steps. The last journaled byte stays in the spool, because opening
// the spool reads it.
func (s state) archive() (state, []act.Effect) {
	to := (s.quota.journaled - 1) / archiveStep * archiveStep
	if !spool.Punches || to <= s.archived || s.phase != phaseLive {
		return s, nil
	}
	s.archived = to
	return s, []act.Effect{archiveSpool{to}}
}
