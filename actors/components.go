package actors

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"betcode/actors/health"
	"betcode/actors/internal/fence"
	"betcode/actors/settings"
	"betcode/messages"
)

// components returns the health of the components that do not report to the health actor.
func (s *System) components(now time.Time, fenced map[messages.SessionID]bool) []messages.ComponentHealth {
	var all []messages.ComponentHealth
	add := func(c messages.ComponentHealth, present bool) {
		if present {
			all = append(all, c)
		}
	}
	add(s.damagedSessions(now))
	add(s.fenceView(fenced))
	add(s.damage.View(s.backup.Offer()))
	add(s.backup.View())
	if others := s.options.Components; others != nil {
		all = append(all, others()...)
	}
	return all
}

// metadata is what does not belong to one component.
func (s *System) metadata(now time.Time) map[string]string {
	up := now.Sub(s.started).Truncate(time.Second)
	return map[string]string{
		"version":        s.options.Version,
		"uptime":         up.String(),
		"uptime_seconds": strconv.FormatInt(int64(up.Seconds()), 10),
		"started_at":     s.started.UTC().Format(time.RFC3339),
		"platform":       runtime.GOOS + "/" + runtime.GOARCH,
		"pid":            strconv.Itoa(os.Getpid()),
		"lineage":        s.options.Store.Lineage(),
	}
}

// damagedSessions is the health line of sessions that cannot be loaded, if there
// are any.
func (s *System) damagedSessions(now time.Time) (messages.ComponentHealth, bool) {
	number, first := s.options.Store.DamagedSessions()
	if number == 0 {
		return messages.ComponentHealth{}, false
	}
	return messages.ComponentHealth{
		Name: "sessions", Checked: now, State: "sessions_damaged",
		Message: fmt.Sprintf("%d damaged, %s among them", number, first),
		Reason:  "The journal cannot load some sessions",
		Impact: "They can be exported as far as they can be read (betcode session export ID) and deleted (betcode session delete ID), " +
			"or a backup can be restored (betcode journal restore). " + s.backup.Offer(),
	}, true
}

// fenceView is health's line about fences, where agents are fenced, or are to be.
func (s *System) fenceView(fenced map[messages.SessionID]bool) (messages.ComponentHealth, bool) {
	if s.settings.Load().Fence != settings.FenceProject && len(fenced) == 0 {
		return messages.ComponentHealth{}, false
	}
	c := messages.ComponentHealth{Name: "fence", Serving: true, Checked: s.now(), Message: fmt.Sprintf("%d agents fenced", len(fenced))}
	if len(fenced) > 0 {
		c.Message += ": " + health.Names(fenced)
	}
	if s.settings.Load().Fence != settings.FenceProject {
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
