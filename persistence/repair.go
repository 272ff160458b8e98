package persistence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"betcode/messages"
)

const opRepair = "repair journal"

// RepairOptions says which journal is repaired.
type RepairOptions struct {
	Directory string
	// Apply makes the journal one that opens. Without it nothing is changed.
	Apply bool
	Now   func() time.Time // nil = time.Now
}

// Repaired is what a repair found, and did if that was asked for.
type Repaired struct {
	Directory string
	// Needed is false where the journal opens as it is.
	Needed   bool
	Findings []messages.JournalFinding // what is damaged
	Lost     Loss                      // what is, or would be, lost
	Sessions int                       // of the journal, the damaged ones included
	Aside    string                    // where the journal is as it was; empty = nothing was changed
}

// Repair says what is lost if the parts of a journal are left out that keep it from
// being opened, and does it where that is asked for: a manifest that is lost is made
// again of the files, groups of the logs that cannot be read are skipped, and their
// sessions are damaged. The journal as it was is kept beside it. Nobody may have the
// journal. Damage within a journal file is no matter of a repair: its sessions are
// damaged, and the others go on.
func Repair(ctx context.Context, o RepairOptions) (done Repaired, err error) {
	done.Directory = o.Directory
	if o.Now == nil {
		o.Now = time.Now
	}
	release, err := lockDirectory(opRepair, o.Directory)
	if err != nil {
		return done, err
	}
	defer release()
	rebuilt, err := done.look(o.Directory)
	if err != nil || !done.Needed || !o.Apply {
		return done, err
	}
	if done.Aside, err = setAside(ctx, o.Directory, o.Now()); err != nil {
		return done, err
	}
	return done, done.apply(o.Directory, rebuilt)
}

// lockDirectory keeps others from a journal.
func lockDirectory(op, directory string) (release func(), err error) {
	if info, err := os.Stat(directory); err != nil || !info.IsDir() {
		return nil, messages.Errorf(op, messages.NotFound, "there is no journal in %s", directory)
	}
	lock := flock.New(filepath.Join(directory, lockName))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, storageError(op, err)
	}
	if !locked {
		lock.Close()
		return nil, inUse(op, directory)
	}
	return func() { _ = lock.Close() }, nil
}

// look finds out what is lost, and changes nothing. rebuilt is the manifest that has to
// be written, nil if there is one.
func (d *Repaired) look(directory string) (rebuilt *manifest, err error) {
	m, worse, err := readCopies(directory)
	if err != nil && messages.KindOf(err) != messages.DataLoss {
		return nil, err
	}
	if m == nil {
		problem := "no copy is there"
		if err != nil {
			problem = messages.CauseOf(err)
		}
		if rebuilt, err = rebuildManifest(directory); err != nil {
			return nil, err
		}
		m, d.Needed = rebuilt, true
		d.Findings = append(d.Findings, messages.JournalFinding{
			File: manifestName, Offset: -1, Problem: problem, Outcome: fmt.Sprintf("made again of %d file(s)", len(m.names())),
		})
	}
	s := &Store{options: Options{Directory: directory, ReadOnly: true, tolerant: true}.withDefaults(), sealed: map[string]*file{}}
	s.blobs = newBlobs(directory, nil)
	if err := s.use(m); err != nil {
		if s.active != nil {
			s.active.close()
		}
		return nil, beyondRepair(err)
	}
	defer s.Close()
	for _, c := range worse {
		if !c.crashed(m) {
			d.Findings = append(d.Findings, c.finding())
		}
	}
	d.Findings = append(d.Findings, s.findings...)
	d.Needed = d.Needed || s.lost.needed
	d.Lost, d.Sessions = *s.lost, len(s.index.ids)
	return rebuilt, nil
}

// beyondRepair is an error that a repair ends with. To try another repair is no help.
func beyondRepair(err error) error {
	if e := asError(err); e.Kind == messages.DataLoss {
		return again(opRepair, e).WithHint("It cannot be repaired: restore a backup with 'betcode journal restore'," +
			" or move the journal aside to begin a new one.")
	}
	return err
}

// setAside keeps the journal as it is in a directory beside it. Files that never change
// are linked, where the disk can.
func setAside(ctx context.Context, directory string, now time.Time) (aside string, err error) {
	aside = directory + ".damaged-" + now.UTC().Format("20060102T150405Z")
	half := aside + halfway
	if _, err := os.Stat(aside); err == nil {
		return "", messages.Errorf(opRepair, messages.AlreadyExists, "%s is there", aside).WithHint("Try again in a second.")
	}
	if err := errors.Join(os.RemoveAll(half), os.Mkdir(half, 0o700)); err != nil {
		return "", storageError(opRepair, err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(half)
		}
	}()
	entries, err := os.ReadDir(directory)
	if err != nil {
		return "", storageError(opRepair, err)
	}
	for _, e := range entries {
		from, to := filepath.Join(directory, e.Name()), filepath.Join(half, e.Name())
		switch {
		case e.Name() == lockName, filepath.Ext(e.Name()) == unfinished:
		case e.IsDir():
			err = keepTree(from, to)
		default: // the active file among them, and the logs: they will be written to
			err = copyFile(ctx, from, to)
		}
		if err != nil {
			return "", storageError(opRepair, fmt.Errorf("keep %s as it is: %w", e.Name(), err))
		}
	}
	if err := syncDirectory(half); err != nil {
		return "", storageError(opRepair, err)
	}
	if err := os.Rename(half, aside); err != nil {
		return "", storageError(opRepair, err)
	}
	if err := syncDirectory(filepath.Dir(directory)); err != nil {
		return "", storageError(opRepair, err)
	}
	return aside, nil
}

// apply makes the journal one that opens. Until the end the logs are as they were: a
// repair that is broken off can be made again.
func (d *Repaired) apply(directory string, rebuilt *manifest) error {
	if rebuilt != nil {
		if _, err := rebuilt.write(directory, nil); err != nil {
			return storageError(opRepair, err)
		}
	}
	for _, name := range logNames {
		path := filepath.Join(directory, name)
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := errors.Join(writeSynced(path, nil), syncDirectory(directory)); err != nil {
			return storageError(opRepair, err)
		}
	}
	s := &Store{options: Options{Directory: directory, tolerant: true}.withDefaults(), sealed: map[string]*file{}}
	s.blobs = newBlobs(directory, nil)
	if err := s.open(); err != nil {
		if s.active != nil {
			s.active.close()
		}
		return beyondRepair(err)
	}
	err := s.checkpoint(opRepair) // replay did it, unless the disk is full
	return errors.Join(err, s.Close())
}
