package actors

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"betcode/actors/internal/actortest"
	"betcode/actors/journal"
	"betcode/messages"
)

// memoryStore is a journal in memory. It implements [Store] and can be made to
// fail.
type memoryStore struct {
	mu       sync.Mutex
	sessions map[messages.SessionID]*actortest.Chronicle
	commits  int // groups

	failing error  // the result of a commit, if not nil
	before  func() // called before each commit, without the lock; may panic
}

func newMemoryStore() *memoryStore {
	return &memoryStore{sessions: map[messages.SessionID]*actortest.Chronicle{}}
}

var _ journal.Store = (*memoryStore)(nil)

// of returns the data of a session. The caller holds mu.
func (s *memoryStore) of(id messages.SessionID) *actortest.Chronicle {
	c := s.sessions[id]
	if c == nil {
		c = actortest.NewChronicle()
		s.sessions[id] = c
	}
	return c
}

// look reads the data of a session.
func (s *memoryStore) look(id messages.SessionID) *actortest.Chronicle {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of(id).Clone()
}

// fail makes every commit fail, or none if err is nil.
func (s *memoryStore) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = err
}

func (s *memoryStore) hook(before func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = before
}

// fill gives a new session so many events.
func (s *memoryStore) fill(id messages.SessionID, events int) {
	for n := 1; n <= events; n++ {
		a := messages.Append{
			Session: id, Expect: messages.Seq(n - 1), Events: numbered(messages.Seq(n), messages.Seq(n)),
			Record: &messages.SessionRecord{ID: id, WorkingDirectory: "/", CreatedAt: dawn, UpdatedAt: dawn, Phase: messages.PhaseIdle},
		}
		a.Record.Head = messages.Seq(n)
		if err := s.Commit([]messages.Append{a})[0]; err != nil {
			panic(err)
		}
	}
}

// Stage does nothing: large data stays in memory like the rest.
func (s *memoryStore) Stage(messages.Append) {}

func (s *memoryStore) Commit(appends []messages.Append) []error {
	s.mu.Lock()
	before := s.before
	s.mu.Unlock()
	if before != nil {
		before()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commits++
	results := make([]error, len(appends))
	for i, a := range appends {
		if s.failing != nil {
			results[i] = s.failing
			continue
		}
		if err := s.of(a.Session).Apply(a); err != nil {
			results[i] = err
		}
	}
	return results
}

func (s *memoryStore) Load(id messages.SessionID) (messages.SessionLoaded, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of(id).Loaded(), nil
}

func (s *memoryStore) Findings() []messages.JournalFinding { return nil }

func (s *memoryStore) DamagedSessions() (int, messages.SessionID) { return 0, "" }

func (s *memoryStore) Damaged() ([]messages.DamagedSession, error) { return nil, nil }

func (s *memoryStore) Salvage(messages.SessionID) (messages.DamagedSession, bool, error) {
	return messages.DamagedSession{}, false, nil
}

func (s *memoryStore) Salvaged(id messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, *messages.HistoryGap, error) {
	events, err := s.Events(id, after, maxEvents, maxBytes)
	return events, nil, err
}

func (s *memoryStore) Events(id messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.of(id)
	if !c.Exists {
		return nil, messages.Errorf("read events", messages.NotFound, "session %s does not exist", id)
	}
	return c.After(after, maxEvents, maxBytes), nil
}

// all returns all sessions, newest change first.
func (s *memoryStore) all() []messages.SessionLoaded {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []messages.SessionLoaded
	for _, c := range s.sessions {
		if c.Exists {
			all = append(all, c.Loaded())
		}
	}
	slices.SortFunc(all, func(a, b messages.SessionLoaded) int {
		return cmp.Or(b.Record.UpdatedAt.Compare(a.Record.UpdatedAt), cmp.Compare(a.Record.ID, b.Record.ID))
	})
	return all
}

func (s *memoryStore) Conversations(directory, worktree string, limit, offset int, _ func(messages.SessionID, messages.Revision) bool) (messages.SessionList, error) {
	records, total, err := s.list(directory, worktree, limit, offset, true)
	return messages.SessionList{Sessions: records, Total: total}, err
}

func (s *memoryStore) Select(directory, worktree string, wanted func(messages.SessionID, messages.Rest) bool) ([]messages.SessionRecord, error) {
	all, err := s.Conversations(directory, worktree, 0, 0, nil)
	return slices.DeleteFunc(all.Sessions, func(r messages.SessionRecord) bool { return !wanted(r.ID, r.Rest()) }), err
}

func (s *memoryStore) Subagents(parent messages.SessionID) ([]messages.SessionRecord, error) {
	var found []messages.SessionRecord
	for _, l := range s.all() {
		if child := l.Record.Subagent; child != nil && (parent == "" || child.Parent == parent) {
			found = append(found, l.Record)
		}
	}
	slices.Reverse(found)
	return found, nil
}

func (s *memoryStore) Outline(id messages.SessionID) (messages.SessionOutline, bool) {
	for _, o := range s.Outlines() {
		if o.ID == id {
			return o, true
		}
	}
	return messages.SessionOutline{}, false
}

func (s *memoryStore) Outlines() []messages.SessionOutline {
	var all []messages.SessionOutline
	for _, l := range s.all() {
		all = append(all, messages.SessionOutline{
			ID: l.Record.ID, Name: l.Record.Name, Directory: l.Record.WorkingDirectory, Head: l.Record.Head, LowWater: l.Record.Past.LowWater, UpdatedAt: l.Record.UpdatedAt,
		})
	}
	return all
}

func (s *memoryStore) Deleted() []messages.DeletedSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gone []messages.DeletedSession
	for _, c := range s.sessions {
		if c.Deleted {
			gone = append(gone, c.Remains)
		}
	}
	return gone
}

func (s *memoryStore) RunningSubagents(parent messages.SessionID) []messages.SessionID {
	all, _ := s.Subagents(parent)
	var running []messages.SessionID
	for _, r := range all {
		if !r.Subagent.Status.Final() {
			running = append(running, r.ID)
		}
	}
	return running
}

func (s *memoryStore) Sessions(directory, worktree string, limit, offset int) ([]messages.SessionRecord, int, error) {
	return s.list(directory, worktree, limit, offset, false)
}

func (s *memoryStore) list(directory, worktree string, limit, offset int, conversations bool) ([]messages.SessionRecord, int, error) {
	var found []messages.SessionRecord
	for _, l := range s.all() {
		if conversations && l.Record.Subagent != nil {
			continue
		}
		if (directory == "" || l.Record.WorkingDirectory == directory) && (worktree == "" || l.Record.WorktreeID == worktree) {
			found = append(found, l.Record)
		}
	}
	total := len(found)
	found = found[min(offset, total):]
	if limit > 0 {
		found = found[:min(limit, len(found))]
	}
	return found, total, nil
}

func (s *memoryStore) Named(directory, name string) (messages.SessionID, bool) {
	for _, l := range s.all() {
		if r := l.Record; r.Name == name && r.WorkingDirectory == directory && r.Subagent == nil && r.Proxy == nil {
			return r.ID, true
		}
	}
	return "", false
}

func (s *memoryStore) Resolve(reference, _ string) (messages.SessionID, error) {
	var found []messages.SessionID
	for _, l := range s.all() {
		if strings.HasPrefix(string(l.Record.ID), reference) || l.Record.Name == reference || reference == "@last" {
			found = append(found, l.Record.ID)
		}
	}
	switch {
	case len(found) == 0:
		return "", messages.Errorf("resolve session", messages.NotFound, "there is no session %q", reference)
	case len(found) > 1 && reference != "@last":
		return "", messages.Errorf("resolve session", messages.Invalid, "%q may be any of %v", reference, found)
	}
	return found[0], nil
}

func (s *memoryStore) Pending(id messages.SessionID) ([]messages.PermissionRecord, error) {
	var pending []messages.PermissionRecord
	for _, l := range s.all() {
		if id == "" || l.Record.ID == id {
			pending = append(pending, l.Permissions...)
		}
	}
	slices.SortFunc(pending, func(a, b messages.PermissionRecord) int { return a.ReceivedAt.Compare(b.ReceivedAt) })
	return pending, nil
}

func (s *memoryStore) Unfinished() ([]messages.SessionID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []messages.SessionID
	for id, c := range s.sessions {
		if c.Exists && c.Unfinished() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

func (s *memoryStore) Seen(id messages.SessionID, key string) (messages.Seq, bool, error) {
	r, seen, err := s.Remembered(id, key)
	return r.Seq, seen, err
}

func (s *memoryStore) Remembered(id messages.SessionID, key string) (messages.Remembered, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.of(id)
	if !c.Exists {
		return messages.Remembered{}, false, messages.Errorf("look up key", messages.NotFound, "session %s does not exist", id).WithCode(messages.SessionNotFound)
	}
	seq, seen := c.Keys[key]
	r := c.Answered[key]
	r.Seq = seq
	return r, seen, nil
}

func (s *memoryStore) Reopen() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failing
}

func (s *memoryStore) Try() error { return s.Reopen() }

func (s *memoryStore) CheckpointDue() bool          { return false }
func (s *memoryStore) Checkpoint() error            { return nil }
func (s *memoryStore) SealDue() bool                { return false }
func (s *memoryStore) Seal() error                  { return nil }
func (s *memoryStore) Stats() messages.JournalStats { return messages.JournalStats{} }
func (s *memoryStore) Verify(context.Context, func(messages.JournalFile)) (messages.JournalReport, error) {
	return messages.JournalReport{}, nil
}

func (s *memoryStore) Backup(context.Context, string, bool) (messages.JournalBackup, error) {
	return messages.JournalBackup{}, nil
}
func (s *memoryStore) Retain() (int, error) { return 0, nil }
func (s *memoryStore) Reclaim(context.Context, int64) (messages.JournalReclaimed, error) {
	return messages.JournalReclaimed{}, nil
}
func (s *memoryStore) Lineage() string { return "lineage" }
