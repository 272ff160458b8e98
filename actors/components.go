package actors

import (
	"os"
	"runtime"
	"strconv"
	"time"

	"betcode/actors/health"
	"betcode/messages"
)

// What health shows of the daemon beside what components report.

// components returns the health of the components that do not report to the health actor.
func (s *System) components(now time.Time, fenced map[messages.SessionID]bool) []messages.ComponentHealth {
	var all []messages.ComponentHealth
	add := func(c messages.ComponentHealth, present bool) {
		if present {
			all = append(all, c)
		}
	}
	add(s.maintainer().DamagedSessions(now, s.backup.Offer()))
	add(s.planner.FenceHealth(now, len(fenced), health.Names(fenced)))
	add(s.planner.MemoryHealth(now))
	add(s.damage.View(s.backup.Offer()))
	add(s.backup.View())
	if others := s.options.Components; others != nil {
		all = append(all, others()...)
	}
	return all
}

// metadata returns the health facts that belong to no component.
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
