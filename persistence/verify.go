package persistence

import (
	"context"
	"path/filepath"

	"betcode/messages"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/upkeep"
	"betcode/persistence/planlog"
)

type (
	// Report is the result of [Store.Verify].
	Report = messages.JournalReport
	// FileReport has the counts of one file.
	FileReport = messages.JournalFile
	// Problem is one inconsistency.
	Problem = messages.JournalProblem
)

// Verify reads every file from end to end: the structure of bbolt, every checksum, every
// record, the numbers of events, and each session's hash chain. It compares the sessions
// in memory with the files. It also reads the journals of orchestrations. Sealed files are read while the journal is used; commits
// wait while the active file is read, which is sealed first if it is large.
//
// progress, which may be nil, is called at intervals with the counts of a file so
// far. The findings are in the report; the error is about the verification itself.
func (s *Store) Verify(ctx context.Context, progress func(FileReport)) (Report, error) {
	report, err := s.verify(ctx, progress)
	if err != nil {
		return report, err
	}
	plans, problems, err := planlog.Verify(ctx, s.options.Plans)
	if err != nil {
		return report, fault.Storage(fault.OpVerify, err)
	}
	if plans.Keys > 0 && progress != nil {
		progress(plans)
	}
	report.Problems = append(report.Problems, problems...)
	return report, nil
}

// verify is Verify for the journal of sessions.
func (s *Store) verify(ctx context.Context, progress func(FileReport)) (Report, error) {
	defer s.stay()()
	s.sealLarge()
	done, err := s.reading(fault.OpVerify)
	if err != nil {
		return Report{}, err
	}
	m := s.manifest // it is never changed, only replaced
	done()
	v := upkeep.NewVerifier(ctx, s.lineage, s.blobs, progress)
	if err := v.Sealed(s.options.Directory, m); err != nil {
		return v.Report, err
	}
	v.Warm(filepath.Join(s.options.Directory, m.Active))
	s.moving.Lock()
	defer s.moving.Unlock()
	_ = s.checkpointAhead(fault.OpVerify) // what stays in the logs is verified there
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.active == nil {
		return v.Report, fault.Closed(fault.OpVerify)
	}
	if err := v.Sealed(s.options.Directory, s.manifest); err != nil { // the files that were sealed meanwhile
		return v.Report, err
	}
	state := upkeep.LogState{Directory: s.options.Directory, Names: s.manifest.Logs, Active: s.active}
	if s.log != nil {
		state.Newest = s.log.Newest()
	}
	v.Logs(state)
	sound, live := s.index.sound()
	err = v.Active(s.active, s.overlay.Load().Over(), s.numbers.Load(), sound, live)
	return v.Report, err
}

// sound returns the sessions that are neither deleted nor damaged, and the number of
// live sessions with the damaged ones.
func (x *index) sound() (sound []upkeep.IndexEntry, live int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for id, e := range x.entries {
		if e.damaged == nil && !e.deleted {
			sound = append(sound, upkeep.IndexEntry{ID: id, Number: e.number, Head: e.head, Base: e.base, Run: e.run, Offset: e.offset})
		}
	}
	return sound, len(x.ids)
}
