package persistence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"betcode/messages"
	"betcode/messages/failpoint"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/wal"
)

const (
	// formerDirectory contains the journal as it was before this build converted it to
	// its own format.
	formerDirectory = "before-migration"
	// formerAge is how long that copy is kept.
	formerAge = 30 * 24 * time.Hour
)

// migrate converts a journal of an older format, or a restored one, which has no logs, to this
// format. Once MANIFEST is replaced, older builds refuse the journal; the only way
// back is the copy.
//
// No row is rewritten: new fields appear with the first row that needs them.
func (s *Store) migrate(m *manifest.Manifest) (*manifest.Manifest, error) {
	failpoint.Hit(failpoint.MigrationBegun)
	if m.Format < boltfile.Format {
		if err := s.keepFormer(m); err != nil {
			return nil, err
		}
		failpoint.Hit(failpoint.MigrationKept)
		if err := s.dropNewerCopies(m); err != nil {
			return nil, err
		}
	}
	next := *m
	if len(m.Logs) == 0 {
		if err := makeLogs(s.options.Directory); err != nil {
			return nil, err
		}
		if err := s.options.steps.At("logs made"); err != nil {
			return nil, fault.Storage(fault.OpMigrate, err)
		}
		failpoint.Hit(failpoint.MigrationLogs)
	}
	next.Format, next.Logs = boltfile.Format, wal.Names
	if _, err := next.Write(s.options.Directory, s.options.steps); err != nil {
		return nil, fault.Storage(fault.OpMigrate, err)
	}
	failpoint.Hit(failpoint.MigrationNamed)
	return &next, nil
}

// keepFormer keeps a copy of the journal as an older build left it: a directory that such a build
// opens in the place of the journal. Files that are never written to are linked if
// the filesystem can. An existing copy was made before a crash; it is made again, since the older
// build may have used the journal meanwhile.
func (s *Store) keepFormer(m *manifest.Manifest) error {
	former := filepath.Join(s.options.Directory, formerDirectory)
	half := former + disk.Unfinished
	if err := errors.Join(os.RemoveAll(former), os.RemoveAll(half), os.Mkdir(half, 0o700)); err != nil {
		return fault.Storage(fault.OpMigrate, err)
	}
	for _, f := range m.Sealed {
		if os.Link(filepath.Join(s.options.Directory, f.Name), filepath.Join(half, f.Name)) == nil {
			continue
		}
		if err := s.copyFormer(half, f.Name); err != nil {
			return err
		}
	}
	for _, name := range append([]string{m.Active, manifest.Name}, m.Logs...) {
		if err := s.copyFormer(half, name); err != nil {
			return err
		}
	}
	if err := disk.LinkTree(filepath.Join(s.options.Directory, blob.DirectoryName), filepath.Join(half, blob.DirectoryName)); err != nil {
		return fault.Storage(fault.OpMigrate, err)
	}
	if err := s.options.steps.At("former copied"); err != nil {
		return fault.Storage(fault.OpMigrate, err)
	}
	err := disk.SyncDirectory(half)
	if err == nil {
		_, err = disk.RenameSynced(former, s.options.steps, formerDirectory)
	}
	if err != nil {
		return fault.Storage(fault.OpMigrate, err)
	}
	return nil
}

func (s *Store) copyFormer(to, name string) error {
	err := disk.CopyFile(context.Background(), filepath.Join(s.options.Directory, name), filepath.Join(to, name))
	if errors.Is(err, os.ErrNotExist) {
		return fault.DamagedFile(fault.OpMigrate, name, errors.New("the file is missing"))
	}
	if err != nil {
		return (&messages.Error{Op: fault.OpMigrate, Kind: messages.Unavailable, Err: fmt.Errorf("keep %s as it was: %w", name, err)}).
			WithCode(messages.StorageError).
			WithHint("A journal is copied before it is made one of a newer format: the disk needs room for one of its files.")
	}
	return nil
}

// dropFormer removes the copy of a migration after 30 days.
func (s *Store) dropFormer(now time.Time) error {
	former := filepath.Join(s.options.Directory, formerDirectory)
	info, err := os.Stat(former)
	if err != nil || now.Sub(info.ModTime()) < formerAge {
		return nil //nolint:nilerr // there is none
	}
	return os.RemoveAll(former)
}

// dropNewerCopies removes copies of the manifest that do not belong to a journal of an
// older format: this build left them before the older journal was put in its place.
func (s *Store) dropNewerCopies(m *manifest.Manifest) error {
	if m.Format >= manifest.CopiesFormat {
		return nil
	}
	for _, name := range manifest.Names[1:] {
		if err := os.Remove(filepath.Join(s.options.Directory, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fault.Storage(fault.OpMigrate, err)
		}
	}
	if err := disk.SyncDirectory(s.options.Directory); err != nil {
		return fault.Storage(fault.OpMigrate, err)
	}
	return nil
}
