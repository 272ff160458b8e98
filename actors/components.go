package actors

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

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
