package actors

import (
	"fmt"
	"time"

	"betcode/messages"
)

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

// withDamaged adds the sessions that cannot be loaded behind all others.
func (s *System) withDamaged(list messages.SessionList, m messages.ListSessions, limit int) (messages.Reply, error) {
	damaged, err := s.options.Store.Damaged()
	if err != nil {
		return nil, messages.AsError("list sessions", err)
	}
	for _, d := range damaged {
		if m.WorkingDirectory != "" && d.Record.WorkingDirectory != m.WorkingDirectory || m.WorktreeID != "" && d.Record.WorktreeID != m.WorktreeID {
			continue
		}
		if list.Total++; list.Total > m.Offset && len(list.Sessions) < limit {
			list.Sessions = append(list.Sessions, d.Record)
		}
	}
	return list, nil
}

// readHistory reads the next page, and around what is damaged.
func (s *System) readHistory(m messages.ReadHistory) (messages.Reply, error) {
	events, gap, err := s.options.Store.Salvaged(m.Session, m.After, 0, 0)
	return result(messages.HistoryPage{Events: events, Gap: gap}, err)
}
