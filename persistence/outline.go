package persistence

import "betcode/messages"

// Outline returns the facts about a session that need no I/O; false if there is no such session. Its LowWater is that of the session:
// events above it may have been dropped with their file (see [Store.LowWater]).
func (s *Store) Outline(id messages.SessionID) (messages.SessionOutline, bool) {
	e := s.entries().get(id)
	if e == nil || e.deleted {
		return messages.SessionOutline{}, false
	}
	return e.outline(), true
}

// Outlines returns the outlines of all sessions, in no order. It does no I/O.
func (s *Store) Outlines() []messages.SessionOutline {
	index := s.entries()
	index.mu.RLock()
	defer index.mu.RUnlock()
	all := make([]messages.SessionOutline, 0, len(index.entries))
	for _, e := range index.entries {
		if !e.deleted {
			all = append(all, e.outline())
		}
	}
	return all
}

func (e *entry) outline() messages.SessionOutline {
	return messages.SessionOutline{
		ID: e.id, Name: e.name, Title: e.title, Directory: e.directory, Parent: e.parent, Head: e.head, LowWater: e.low, UpdatedAt: e.updated, Damaged: e.damaged != nil,
	}
}
