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
)

const (
	// formerDirectory is where a journal is, as it was, before this build made it
	// one of its own format.
	formerDirectory = "before-migration"
	// formerAge is how long that is kept.
	formerAge = 30 * 24 * time.Hour

	opMigrate = "migrate journal"
)

// migrate makes a journal of this format of an older one, or of a restored one,
// which has no logs. From the moment on that MANIFEST is replaced an older build
// refuses it, and there is no way back but to what was kept of it before.
//
// No row is rewritten: what is new since an older format appears with the first
// row that needs it.
func (s *Store) migrate(m *manifest) (*manifest, error) {
	failpoint.Hit(failpoint.MigrationBegun)
	if m.Format < Format {
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
		if err := s.options.steps.at("logs made"); err != nil {
			return nil, storageError(opMigrate, err)
		}
		failpoint.Hit(failpoint.MigrationLogs)
	}
	next.Format, next.Logs = Format, logNames
	if _, err := next.write(s.options.Directory, s.options.steps); err != nil {
		return nil, storageError(opMigrate, err)
	}
	failpoint.Hit(failpoint.MigrationNamed)
	return &next, nil
}

// keepFormer keeps the journal as an older build left it: a directory that such a
// build opens when it is put in the place of the journal. What will never be
// written to is linked, where the disk can. One that is there was made before a
// crash, and the journal may have been used since by the older build.
func (s *Store) keepFormer(m *manifest) error {
	former := filepath.Join(s.options.Directory, formerDirectory)
	half := former + unfinished
	if err := errors.Join(os.RemoveAll(former), os.RemoveAll(half), os.Mkdir(half, 0o700)); err != nil {
		return storageError(opMigrate, err)
	}
	for _, f := range m.Sealed {
		if os.Link(filepath.Join(s.options.Directory, f.Name), filepath.Join(half, f.Name)) == nil {
			continue
		}
		if err := s.copyFormer(half, f.Name); err != nil {
			return err
		}
	}
	for _, name := range append([]string{m.Active, manifestName}, m.Logs...) {
		if err := s.copyFormer(half, name); err != nil {
			return err
		}
	}
	if err := keepTree(s.blobs.directory, filepath.Join(half, filepath.Base(s.blobs.directory))); err != nil {
		return storageError(opMigrate, err)
	}
	if err := s.options.steps.at("former copied"); err != nil {
		return storageError(opMigrate, err)
	}
	err := syncDirectory(half)
	if err == nil {
		_, err = renameSynced(former, s.options.steps, formerDirectory)
	}
	if err != nil {
		return storageError(opMigrate, err)
	}
	return nil
}

func (s *Store) copyFormer(to, name string) error {
	err := copyFile(context.Background(), filepath.Join(s.options.Directory, name), filepath.Join(to, name))
	if errors.Is(err, os.ErrNotExist) {
		return damagedFile(opMigrate, name, errors.New("the file is missing"))
	}
	if err != nil {
		return (&messages.Error{Op: opMigrate, Kind: messages.Unavailable, Err: fmt.Errorf("keep %s as it was: %w", name, err)}).
			WithCode(messages.StorageError).
			WithHint("A journal is copied before it is made one of a newer format: the disk needs room for one of its files.")
	}
	return nil
}

// dropFormer removes what was kept when the format was raised, when that is long
// ago.
func (s *Store) dropFormer(now time.Time) error {
	former := filepath.Join(s.options.Directory, formerDirectory)
	info, err := os.Stat(former)
	if err != nil || now.Sub(info.ModTime()) < formerAge {
		return nil //nolint:nilerr // there is none
	}
	return os.RemoveAll(former)
}

// dropNewerCopies removes copies of the manifest that are no part of a journal of an
// older format: what this build left before the older build was put in its place.
func (s *Store) dropNewerCopies(m *manifest) error {
	if m.Format >= copiesFormat {
		return nil
	}
	for _, name := range manifestCopies[1:] {
		if err := os.Remove(filepath.Join(s.options.Directory, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return storageError(opMigrate, err)
		}
	}
	if err := syncDirectory(s.options.Directory); err != nil {
		return storageError(opMigrate, err)
	}
	return nil
}
