package upkeep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
)

// SetAside keeps a copy of the journal in a directory beside it. Files that never change
// are linked, if the filesystem can.
func SetAside(ctx context.Context, directory string, now time.Time) (aside string, err error) {
	aside = directory + FreeSuffix("damaged", now, directory)
	half := aside + Halfway
	if err := errors.Join(os.RemoveAll(half), os.Mkdir(half, 0o700)); err != nil {
		return "", fault.Storage(fault.OpRepair, err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(half)
		}
	}()
	entries, err := os.ReadDir(directory)
	if err != nil {
		return "", fault.Storage(fault.OpRepair, err)
	}
	for _, e := range entries {
		from, to := filepath.Join(directory, e.Name()), filepath.Join(half, e.Name())
		switch {
		case e.Name() == boltfile.LockName, filepath.Ext(e.Name()) == disk.Unfinished:
		case e.IsDir():
			err = disk.LinkTree(from, to)
		default: // including the active file and the logs, which will be written to
			err = disk.CopyFile(ctx, from, to)
		}
		if err != nil {
			return "", fault.Storage(fault.OpRepair, fmt.Errorf("keep %s as it is: %w", e.Name(), err))
		}
	}
	if err := disk.SyncDirectory(half); err != nil {
		return "", fault.Storage(fault.OpRepair, err)
	}
	if err := os.Rename(half, aside); err != nil {
		return "", fault.Storage(fault.OpRepair, err)
	}
	if err := disk.SyncDirectory(filepath.Dir(directory)); err != nil {
		return "", fault.Storage(fault.OpRepair, err)
	}
	return aside, nil
}

// FreeSuffix returns a suffix for paths that are moved aside, such as ".replaced-20261123T050607Z". A number follows if
// one of the paths with the ending exists, because another one was moved aside in the same second.
func FreeSuffix(reason string, now time.Time, paths ...string) string {
	stamp := "." + reason + "-" + now.UTC().Format("20060102T150405Z")
	suffix := stamp
	taken := func(path string) bool {
		_, err := os.Lstat(path + suffix)
		return err == nil
	}
	for n := 2; slices.ContainsFunc(paths, taken); n++ {
		suffix = stamp + "-" + strconv.Itoa(n)
	}
	return suffix
}

// CheckEmpty refuses a path that exists, except an empty directory.
func CheckEmpty(op, path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return messages.Errorf(op, messages.NotFound, "there is no directory %s", filepath.Dir(path))
		}
		return nil
	case err != nil:
		return (&messages.Error{Op: op, Kind: messages.Invalid, Err: err})
	case len(entries) > 0:
		return messages.Errorf(op, messages.AlreadyExists, "%s is not empty", path).WithHint("Name a directory that does not exist.")
	}
	return nil
}

// Halfway ends the name of an incomplete directory.
const Halfway = ".unfinished"

// BeyondRepair returns the final error of a repair. Another repair would fail too.
func BeyondRepair(err error) error {
	if e := fault.As(err); e.Kind == messages.DataLoss {
		return fault.Again(fault.OpRepair, e).WithHint("It cannot be repaired: restore a backup with 'betcode journal restore'," +
			" or move the journal aside to begin a new one.")
	}
	return err
}
