package launchplan

import (
	"fmt"
	"time"

	"betcode/actors/internal/fence"
	"betcode/actors/settings"
	"betcode/messages"
)

// FenceHealth is the health line about fences, if agents are fenced or are to be. fenced lists the agents for people.
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
