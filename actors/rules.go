package actors

import (
	"slices"
	"sync/atomic"

	"betcode/actors/internal/process"
)

// BelowAgent says whether a process is an agent or descends from one: it may look
// at sessions and not act on them. An error means that it could not be told.
func BelowAgent(pid int) (bool, error) { return process.BelowAgent(pid) }

// DenyTools replaces the deny rules given to every agent ([Options.DeniedTools]).
// Each session has them from its next run on; an agent that runs keeps its own.
func (s *System) DenyTools(rules []string) { s.denied.set(rules) }

// denyRules are deny rules that may change while sessions live. A nil one has none.
type denyRules struct{ now atomic.Pointer[[]string] }

func (d *denyRules) set(rules []string) {
	rules = slices.Clone(rules)
	d.now.Store(&rules)
}

// get returns the rules of now, which belong to the caller.
func (d *denyRules) get() []string {
	if d == nil {
		return nil
	}
	now := d.now.Load()
	if now == nil {
		return nil
	}
	return slices.Clone(*now)
}
