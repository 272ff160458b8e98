package persistence

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
)

// removeLeftovers removes the files that a crash left unfinished. m is nil if there is
// no journal yet.
func (s *Store) removeLeftovers(m *manifest.Manifest) error {
	entries, err := os.ReadDir(s.options.Directory)
	if err != nil {
		return fault.Storage(fault.OpOpen, err)
	}
	known, numbers, oldest, active := map[string]bool{}, map[uint64]bool{}, uint64(0), uint64(0)
	if m != nil {
		for _, name := range m.Names() {
			known[name] = true
			number, _ := boltfile.Number(name)
			numbers[number] = true
		}
		oldest, _ = boltfile.Number(m.Names()[0])
		active, _ = boltfile.Number(m.Active)
	}
	for _, e := range entries {
		base, half := strings.CutSuffix(e.Name(), disk.Unfinished)
		number, err := boltfile.Number(base)
		switch {
		case half && (err == nil || slices.Contains(manifest.Names, base) || base == formerDirectory):
			if err := os.RemoveAll(filepath.Join(s.options.Directory, e.Name())); err != nil {
				return fault.Storage(fault.OpOpen, err)
			}
		case err == nil && !known[base] && number > active:
			if err := s.removeUnused(m, base); err != nil {
				return err
			}
		case err == nil && !known[base] && (number < oldest || numbers[number]):
			if err := s.removeDropped(m, base); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeUnused removes a file that was created and never used: the crash came before the
// manifest named it. A file with a history of its own is refused, since removing
// it would lose that history.
func (s *Store) removeUnused(m *manifest.Manifest, name string) error {
	used, err := s.isUsed(m, name)
	if err != nil {
		return err
	}
	if used {
		return historyUnmentioned(name)
	}
	if err := os.Remove(filepath.Join(s.options.Directory, name)); err != nil {
		return fault.Storage(fault.OpOpen, err)
	}
	return nil
}

func historyUnmentioned(name string) *messages.Error {
	return fault.DamagedFile(fault.OpOpen, manifest.Name, fmt.Errorf("it does not mention %s, which holds a history", name)).
		WithHint("MANIFEST is missing or older than the files. If it is missing, 'betcode journal repair' makes it again;" +
			" otherwise restore all of them from the same backup, or move the files that are not wanted elsewhere.")
}

// removeDropped removes a file that was dropped (see [Store.Retain]), was rewritten, or
// was to replace another, when the crash came before its removal. A file of another
// journal, or one that cannot be read, stays, because it does no harm.
func (s *Store) removeDropped(m *manifest.Manifest, name string) error {
	path := filepath.Join(s.options.Directory, name)
	f, err := boltfile.Open(fault.OpOpen, path, boltfile.Options{ReadOnly: true})
	if err != nil {
		return nil //nolint:nilerr // left alone
	}
	err = f.CheckDescription(fault.OpOpen, m.Lineage)
	f.Close()
	if err != nil {
		return nil //nolint:nilerr // left alone
	}
	if err := os.Remove(path); err != nil {
		return fault.Storage(fault.OpOpen, err)
	}
	return nil
}

// isUsed reports whether anything was written to a file after it was made.
func (s *Store) isUsed(m *manifest.Manifest, name string) (used bool, err error) {
	f, err := boltfile.Open(fault.OpOpen, filepath.Join(s.options.Directory, name), boltfile.Options{ReadOnly: true})
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = f.View(fault.OpOpen, func(tx *boltfile.Tx) error {
		d, err := boltfile.Description(fault.OpOpen, name, tx)
		if err != nil {
			return err
		}
		used = d.GetBuilt() != tx.ID() || (m != nil && m.Lineage != d.GetLineage())
		return nil
	})
	return used, err
}
