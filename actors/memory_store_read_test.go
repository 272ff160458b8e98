package actors

import (
	"cmp"
	"slices"
	"strings"

	"betcode/messages"
)

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
	r, seen, err := s.StoredResult(id, key)
	return r.Seq, seen, err
}

func (s *memoryStore) StoredResult(id messages.SessionID, key string) (messages.StoredResult, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.of(id)
	if !c.Exists {
		return messages.StoredResult{}, false, messages.Errorf("look up key", messages.NotFound, "session %s does not exist", id).WithCode(messages.SessionNotFound)
	}
	seq, seen := c.Keys[key]
	r := c.Answered[key]
	r.Seq = seq
	return r, seen, nil
}
