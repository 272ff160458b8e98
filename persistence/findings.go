package persistence

import (
	"slices"

	"betcode/messages"
)

// Findings lists the damage that was met, and the damage that was mended, when the
// journal was opened, in the order of the files. It reads nothing from the disk.
func (s *Store) Findings() []messages.JournalFinding {
	s.files.RLock()
	defer s.files.RUnlock()
	return slices.Clone(s.findings)
}
