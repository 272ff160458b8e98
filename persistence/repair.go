package persistence

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/recovery"
	"betcode/persistence/internal/upkeep"
	"betcode/persistence/internal/wal"
	"betcode/persistence/planlog"
)

// RepairOptions configure a repair.
type RepairOptions struct {
	Directory string
	// Plans is the directory of the journals of orchestrations; empty = there are none.
	Plans string
	// Apply makes the journal openable. Without it nothing is changed.
	Apply bool
	Now   func() time.Time // nil = time.Now

	steps disk.Steps // for tests
}

// Repaired is the result of a repair: its findings, and its changes if Apply was set.
type Repaired struct {
	Directory string
	// Needed is false if the journal of sessions opens as it is.
	Needed   bool
	Findings []messages.JournalFinding // the damage
	Lost     recovery.Loss             // what is, or would be, lost
	Sessions int                       // of the journal, with damaged ones
	Aside    string                    // where the original journal is; empty = nothing was changed

	Plans      int    // orchestrations whose journals are damaged
	AsidePlans string // where the original journals of orchestrations are; empty = nothing was changed
}

// Due reports whether there is anything to repair.
func (d Repaired) Due() bool { return d.Needed || d.Plans > 0 }

// Repair reports what is lost if the parts of a journal are left out that keep it from
// being opened. With Apply it does so: a lost manifest is made again from the files, groups
// of the logs that cannot be read are skipped, and their sessions are damaged. The
// original journal is kept beside it. Damaged journals of orchestrations are cut before
// the damage, and their orchestrations are paused. No other process may have the journal. Damage
// within a journal file needs no repair: its sessions are damaged, and the others go on.
func Repair(ctx context.Context, o RepairOptions) (done Repaired, err error) {
	done.Directory = o.Directory
	if o.Now == nil {
		o.Now = time.Now
	}
	release, err := lockDirectory(fault.OpRepair, o.Directory)
	if err != nil {
		return done, err
	}
	defer release()
	rebuilt, err := done.look(o.Directory)
	if err != nil {
		return done, err
	}
	plans, err := done.lookAtPlans(ctx, o)
	if err != nil || !o.Apply {
		return done, err
	}
	if done.Needed {
		if done.Aside, err = upkeep.SetAside(ctx, o.Directory, o.Now()); err != nil {
			return done, err
		}
		if err := done.apply(o, rebuilt); err != nil {
			return done, err
		}
	}
	return done, done.applyToPlans(o, plans)
}

// lookAtPlans finds the damaged journals of orchestrations.
func (d *Repaired) lookAtPlans(ctx context.Context, o RepairOptions) (damaged []planlog.Checked, err error) {
	if o.Plans == "" {
		return nil, nil
	}
	all, err := planlog.Survey(ctx, o.Plans)
	if err != nil {
		return nil, fault.Storage(fault.OpRepair, err)
	}
	for _, c := range all {
		if c.Damage != nil && messages.KindOf(c.Damage) != messages.Unimplemented {
			damaged = append(damaged, c)
			d.Findings = append(d.Findings, c.Finding())
		}
	}
	d.Plans = len(damaged)
	return damaged, nil
}

// applyToPlans makes the damaged journals of orchestrations openable.
func (d *Repaired) applyToPlans(o RepairOptions, damaged []planlog.Checked) error {
	if len(damaged) == 0 {
		return nil
	}
	aside := o.Plans + upkeep.FreeSuffix("damaged", o.Now(), o.Plans)
	for _, c := range damaged {
		if err := planlog.Repair(o.Plans, c, aside, o.Now()); err != nil {
			return fault.Storage(fault.OpRepair, err)
		}
	}
	d.AsidePlans = aside
	return nil
}

// lockDirectory locks a journal against other processes.
func lockDirectory(op, directory string) (release func(), err error) {
	if info, err := os.Stat(directory); err != nil || !info.IsDir() {
		return nil, messages.Errorf(op, messages.NotFound, "there is no journal in %s", directory)
	}
	lock := flock.New(filepath.Join(directory, boltfile.LockName))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fault.Storage(op, err)
	}
	if !locked {
		lock.Close()
		return nil, fault.InUse(op, directory)
	}
	return func() { _ = lock.Close() }, nil
}

// look finds what is lost and changes nothing. rebuilt is the manifest that has to
// be written; nil if there is one.
func (d *Repaired) look(directory string) (rebuilt *manifest.Manifest, err error) {
	m, worse, err := manifest.Read(directory)
	if err != nil && messages.KindOf(err) != messages.DataLoss {
		return nil, err
	}
	if m == nil {
		problem := "no copy is there"
		if err != nil {
			problem = messages.CauseOf(err)
		}
		if rebuilt, err = upkeep.RebuildManifest(directory); err != nil {
			return nil, err
		}
		m, d.Needed = rebuilt, true
		d.Findings = append(d.Findings, messages.JournalFinding{
			File: manifest.Name, Offset: -1, Problem: problem, Outcome: "made again of " + messages.Count(len(m.Names()), "file"),
		})
	}
	s := &Store{options: Options{Directory: directory, ReadOnly: true, tolerant: true}.withDefaults(), sealed: map[string]*boltfile.File{}}
	s.blobs = blob.New(directory, nil)
	if err := s.use(m); err != nil {
		if s.active != nil {
			s.active.Close()
		}
		return nil, upkeep.BeyondRepair(err)
	}
	defer s.Close()
	for _, c := range worse {
		if !c.Crashed(m) {
			d.Findings = append(d.Findings, c.Finding())
		}
	}
	d.Findings = append(d.Findings, s.findings...)
	d.Needed = d.Needed || s.lost.Needed
	d.Lost, d.Sessions = *s.lost, len(s.index.ids)
	return rebuilt, nil
}

// apply makes the journal openable. The logs are unchanged until the end, so an
// interrupted repair can be run again.
func (d *Repaired) apply(o RepairOptions, rebuilt *manifest.Manifest) error {
	directory := o.Directory
	if rebuilt != nil {
		if _, err := rebuilt.Write(directory, o.steps); err != nil {
			return fault.Storage(fault.OpRepair, err)
		}
	}
	for _, name := range wal.Names {
		path := filepath.Join(directory, name)
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := errors.Join(disk.WriteSynced(path, nil), disk.SyncDirectory(directory)); err != nil {
			return fault.Storage(fault.OpRepair, err)
		}
	}
	s := &Store{options: Options{Directory: directory, tolerant: true}.withDefaults(), sealed: map[string]*boltfile.File{}}
	s.blobs = blob.New(directory, nil)
	if err := s.open(); err != nil {
		if s.active != nil {
			s.active.Close()
		}
		return upkeep.BeyondRepair(err)
	}
	err := s.checkpoint(fault.OpRepair) // replay did so already, unless the disk is full
	return errors.Join(err, s.Close())
}
