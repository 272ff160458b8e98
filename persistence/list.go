package persistence

import (
	"cmp"
	"slices"

	"betcode/messages"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// Sessions lists sessions, the last changed first, and their total number. directory and
// worktree restrict the list if they are not empty. A limit of 0 is no limit.
// Sessions that cannot be read are left out: see
// [Store.Damaged].
func (s *Store) Sessions(directory, worktree string, limit, offset int) ([]messages.SessionRecord, int, error) {
	page, err := s.list(limit, offset, func(e *entry) bool { return e.in(directory, worktree) }, nil)
	return page.Sessions, page.Total, err
}

// Conversations is Sessions without subagents. It leaves out the records of sessions that known reports, but keeps their places in
// the page; known may be nil.
func (s *Store) Conversations(directory, worktree string, limit, offset int, known func(messages.SessionID, messages.Revision) bool) (messages.SessionList, error) {
	return s.list(limit, offset, func(e *entry) bool { return e.parent == "" && e.in(directory, worktree) }, known)
}

// Select lists the conversations that wanted selects. It calls wanted for each, the last changed first, and reads only the
// selected ones.
func (s *Store) Select(directory, worktree string, wanted func(messages.SessionID, messages.Rest) bool) ([]messages.SessionRecord, error) {
	page, err := s.list(0, 0, func(e *entry) bool {
		return e.parent == "" && e.in(directory, worktree) && wanted(e.id, e.rest)
	}, nil)
	return page.Sessions, err
}

// Subagents lists the subagents of a session, or all if parent is empty, oldest first.
func (s *Store) Subagents(parent messages.SessionID) ([]messages.SessionRecord, error) {
	page, err := s.list(0, 0, func(e *entry) bool { return e.parent != "" && (parent == "" || e.parent == parent) }, nil)
	records := page.Sessions
	slices.SortFunc(records, func(a, b messages.SessionRecord) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return records, err
}

// RunningSubagents returns the subagents of a session that have not ended, in no order. It does no I/O.
func (s *Store) RunningSubagents(parent messages.SessionID) []messages.SessionID {
	index := s.entries()
	index.mu.RLock()
	defer index.mu.RUnlock()
	var running []messages.SessionID
	for _, e := range index.entries {
		if e.running && e.parent == parent && !e.deleted {
			running = append(running, e.id)
		}
	}
	return running
}

// Deleted returns the remains of deleted sessions that had consumed something or were subagents, in no order. It does no I/O.
func (s *Store) Deleted() []messages.DeletedSession {
	index := s.entries()
	index.mu.RLock()
	defer index.mu.RUnlock()
	var gone []messages.DeletedSession
	for _, e := range index.entries {
		if e.deleted && e.remains != nil {
			gone = append(gone, *e.remains)
		}
	}
	return gone
}

// in reports whether a session is in a directory and a worktree; an empty one matches all.
func (e *entry) in(directory, worktree string) bool {
	return (directory == "" || e.directory == directory) && (worktree == "" || e.worktree == worktree)
}

// list loads a page of the sessions that wanted selects, without the records of those that known reports.
func (s *Store) list(limit, offset int, wanted func(*entry) bool, known func(messages.SessionID, messages.Revision) bool) (messages.SessionList, error) {
	var page messages.SessionList
	done, err := s.readingSound(fault.OpSessions)
	if err != nil {
		return page, err
	}
	defer done()
	selected, total := pageOf(s.index.newest(), limit, offset, wanted) // before the rows, which are then at least as new as the revisions
	page.Total = total
	left := make([]bool, len(selected))
	unknown := len(selected)
	for i, e := range selected {
		if known != nil && known(e.id, e.revision) {
			left[i] = true
			unknown--
		}
	}
	page.Sessions = make([]messages.SessionRecord, 0, unknown)
	err = s.look(fault.OpSessions, func(v memtable.View) error {
		for i, e := range selected {
			if left[i] {
				page.Known = append(page.Known, len(page.Known)+len(page.Sessions))
				continue
			}
			record, found, err := loader{view: v, op: fault.OpSessions, id: e.id, number: e.number}.session()
			if err != nil && messages.KindOf(err) != messages.DataLoss {
				return err
			}
			if err != nil {
				s.index.condemn(e.id, err)
			}
			if err == nil && found {
				page.Sessions, page.Revisions = append(page.Sessions, record), append(page.Revisions, e.revision)
			}
		}
		return nil
	})
	if err != nil {
		return messages.SessionList{}, err
	}
	return page, nil
}

// pageOf returns a page of the entries that wanted selects, and how many it selects in all.
func pageOf(entries []*entry, limit, offset int, wanted func(*entry) bool) (page []*entry, total int) {
	for _, e := range entries {
		if !wanted(e) {
			continue
		}
		if total++; total > offset && (limit <= 0 || len(page) < limit) {
			page = append(page, e)
		}
	}
	return page, total
}

// Pending lists the permission requests of a session, or of all sessions if id
// is empty, the oldest first. If a request cannot be read, it returns the others with
// an error about that one.
func (s *Store) Pending(id messages.SessionID) ([]messages.PermissionRecord, error) {
	var pending []messages.PermissionRecord
	err := s.current(fault.OpPending, func(v memtable.View) error {
		if id != "" {
			e, err := s.index.find(fault.OpPending, id)
			if err == nil {
				pending, err = loader{view: v, op: fault.OpPending, id: id, number: e.number}.permissions()
			}
			return err
		}
		var problem error
		return cmp.Or(v.All(record.BucketPermissions, func(key, value []byte) error {
			var p storev1.Permission
			number, _ := record.NumberOf(key)
			session, ok := s.index.idOf(number)
			if err := record.Decode(fault.OpPending, record.BucketPermissions, key, value, &p); err != nil {
				problem = cmp.Or(problem, err)
			} else if ok {
				pending = append(pending, record.LoadPermission(session, record.NameOf(key), &p))
			}
			return nil
		}), problem)
	})
	slices.SortFunc(pending, func(a, b messages.PermissionRecord) int {
		return cmp.Or(a.ReceivedAt.Compare(b.ReceivedAt), cmp.Compare(a.Session, b.Session),
			cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Request, b.Request))
	})
	return pending, err
}

// Unfinished returns the sessions whose actors must be started at boot, the oldest
// first: those with a run that has not ended, a turn that is to be continued, an input that is
// not done, or a permission request that is undecided or undelivered. A record that cannot be
// read counts as unfinished.
func (s *Store) Unfinished() ([]messages.SessionID, error) {
	var unfinished []messages.SessionID
	err := s.current(fault.OpUnfinished, func(v memtable.View) error {
		numbers := map[uint64]bool{}
		every := func(_, _ []byte) bool { return true }
		for _, rows := range []struct {
			bucket []byte
			counts func(key, value []byte) bool
		}{
			{record.BucketSessions, record.HasOpenTurn},
			{record.BucketRuns, func(key, value []byte) bool { return !record.HasEnded(key, value) }},
			{record.BucketInputs, every},
			{record.BucketPermissions, every},
		} {
			err := v.All(rows.bucket, func(key, value []byte) error {
				if number, ok := record.NumberOf(key); ok && rows.counts(key, value) {
					numbers[number] = true
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		sorted := make([]uint64, 0, len(numbers))
		for number := range numbers {
			sorted = append(sorted, number)
		}
		slices.Sort(sorted)
		for _, number := range sorted {
			if id, ok := s.index.idOf(number); ok {
				unfinished = append(unfinished, id)
			}
		}
		return nil
	})
	return unfinished, err
}
