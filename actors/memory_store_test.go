package actors

import (
	"context"
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
