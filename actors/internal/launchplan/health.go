package launchplan

import (
	"errors"
	"fmt"
	"time"

	"betcode/actors/internal/cgroup"
	"betcode/actors/internal/fence"
	"betcode/actors/settings"
	"betcode/messages"
)

// FenceHealth returns the health line about fences, if agents are fenced or are to be. fenced lists the agents for people.
func (p *Planner) FenceHealth(now time.Time, fenced int, names string) (messages.ComponentHealth, bool) {
	if p.deps.Settings().Fence != settings.FenceProject && fenced == 0 {
		return messages.ComponentHealth{}, false
	}
	c := messages.ComponentHealth{Name: "fence", Serving: true, Checked: now, Message: fmt.Sprintf("%d agents fenced", fenced)}
	if fenced > 0 {
		c.Message += ": " + names
	}
	if p.deps.Settings().Fence != settings.FenceProject {
		return c, true
	}
	version, err := fence.Available()
	switch {
	case err != nil:
		c.Serving, c.State, c.Message = false, "fence_unavailable", err.Error()
		c.Reason, c.Impact = "Agents are to be fenced, and this system cannot", "No agent is started"
	case !fence.HoldsSignals(version):
		c.State, c.Reason = "fence_partial", "The kernel's Landlock does not hold signals (Linux 6.12 does)"
		c.Impact = "Fenced agents may signal any process of yours"
	}
	return c, true
}

// MemoryHealth reports whether agents have the limit of the settings; false if there is none.
func (p *Planner) MemoryHealth(now time.Time) (messages.ComponentHealth, bool) {
	most := p.deps.Settings().MemoryMax
	if most <= 0 {
		return messages.ComponentHealth{}, false
	}
	c := messages.ComponentHealth{Name: "memory_limit", Serving: true, Checked: now, Message: fmt.Sprintf("agents may use %d MiB each", most>>20)}
	if err := p.deps.EnableMemory(); err != nil {
		c.State, c.Reason, c.Impact = "memory_limit_unavailable", err.Error(), "Agents start without a limit of their memory"
		var unavailable *cgroup.UnavailableError
		if c.Message = "agents have no limit"; errors.As(err, &unavailable) {
			c.Message += ". " + unavailable.Mend
		}
	}
	return c, true
}
