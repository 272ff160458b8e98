package persistence

import (
	"slices"

	"betcode/messages"
)

// Findings lists the damage that was found or repaired when the journal was opened, in the
// order of the files. It does no I/O.
func (s *Store) Findings() []messages.JournalFinding {
	s.files.RLock()
	defer s.files.RUnlock()
	return slices.Clone(s.findings)
}
