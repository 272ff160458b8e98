package persistence

import (
	"fmt"

	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/manifest"
)

// mendCopies rewrites the copies that differ from the manifest, and records which of them
// were damaged. A copy that cannot be written is written with the next
// change of the manifest.
func (s *Store) mendCopies(worse []manifest.Copy) {
	for _, c := range worse {
		f := c.Finding()
		if s.options.ReadOnly {
			f.Outcome = "the other copy is used"
		} else if data, err := manifest.Seal(s.manifest); err == nil {
			if _, err = disk.Replace(s.options.Directory, c.Name, data, nil); err != nil {
				f.Outcome = fmt.Sprintf("the other copy is used; not written again: %v", err)
			}
		}
		if !c.Crashed(s.manifest) {
			s.findings = append(s.findings, f)
		}
	}
}
