package queries

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"betcode/actors/internal/disk"
	"betcode/actors/internal/protect"
	"betcode/actors/internal/ruleset"
	"betcode/actors/internal/workdir"
	"betcode/actors/settings"
	"betcode/messages"
)

const sessionA messages.SessionID = "3f2a0000-0000-4000-8000-00000000000a"

var dawn = time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)

// store is a journal with what a test puts into it. Methods that it lacks panic.
type store struct {
	Store
	sessions map[messages.SessionID]messages.SessionLoaded
	keys     map[messages.SessionID]map[string]messages.StoredResult
	events   map[messages.SessionID][]messages.Event
	damaged  []messages.DamagedSession
	gone     messages.SessionID // listed, and deleted before it is read
}

func (s *store) add(r messages.SessionRecord) {
	if s.sessions == nil {
		s.sessions, s.keys, s.events = map[messages.SessionID]messages.SessionLoaded{}, map[messages.SessionID]map[string]messages.StoredResult{}, map[messages.SessionID][]messages.Event{}
	}
	s.sessions[r.ID] = messages.SessionLoaded{Found: true, Record: r}
	s.keys[r.ID] = map[string]messages.StoredResult{}
}

func (s *store) Load(id messages.SessionID) (messages.SessionLoaded, error) {
	return s.sessions[id], nil
}

func (s *store) Conversations(directory, worktree string, limit, offset int, _ func(messages.SessionID, messages.Revision) bool) (messages.SessionList, error) {
	records, total, err := s.Sessions(directory, worktree, limit, offset) // none is a subagent
	return messages.SessionList{Sessions: records, Total: total}, err
}

func (s *store) Select(directory, worktree string, wanted func(messages.SessionID, messages.Rest) bool) ([]messages.SessionRecord, error) {
	all, err := s.Conversations(directory, worktree, 0, 0, nil)
	return slices.DeleteFunc(all.Sessions, func(r messages.SessionRecord) bool { return !wanted(r.ID, r.Rest()) }), err
}

func (s *store) Sessions(directory, worktree string, limit, offset int) ([]messages.SessionRecord, int, error) {
	var all []messages.SessionRecord
	for _, l := range s.sessions {
		if (directory == "" || l.Record.WorkingDirectory == directory) && (worktree == "" || l.Record.WorktreeID == worktree) {
			all = append(all, l.Record)
		}
	}
	slices.SortFunc(all, func(a, b messages.SessionRecord) int { return cmp.Compare(a.ID, b.ID) })
	if s.gone != "" {
		all = append(all, messages.SessionRecord{ID: s.gone})
	}
	total := len(all)
	all = all[min(offset, total):]
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	return all, total, nil
}

func (s *store) Damaged() ([]messages.DamagedSession, error) { return s.damaged, nil }

func (s *store) Pending(id messages.SessionID) ([]messages.PermissionRecord, error) {
	if id != "" {
		return s.sessions[id].Permissions, nil
	}
	var all []messages.PermissionRecord
	for _, l := range s.sessions {
		all = append(all, l.Permissions...)
	}
	return all, nil
}

func (s *store) Seen(id messages.SessionID, key string) (messages.Seq, bool, error) {
	r, seen, err := s.StoredResult(id, key)
	return r.Seq, seen, err
}

func (s *store) StoredResult(id messages.SessionID, key string) (messages.StoredResult, bool, error) {
	keys, found := s.keys[id]
	if !found {
		return messages.StoredResult{}, false, messages.Errorf("look up key", messages.NotFound, "session %s does not exist", id)
	}
	r, seen := keys[key]
	return r, seen, nil
}

func (s *store) Events(id messages.SessionID, after messages.Seq, most, _ int) ([]messages.Event, error) {
	var found []messages.Event
	for _, e := range s.events[id] {
		if e.Seq > after && (most == 0 || len(found) < most) {
			found = append(found, e)
		}
	}
	return found, nil
}

// over returns queries over a store, in which the user has some rules.
func over(t *testing.T, s *store, all ...settings.Rules) *Queries {
	quiet, read := zerolog.Nop(), ruleset.Read(all...)
	return New(Deps{
		Store: s, Runs: t.TempDir(), Home: "/home/u", Now: func() time.Time { return dawn },
		Environment: func(map[string]string) []string { return []string{"HOME=/none"} },
		Rules:       func() *ruleset.Set { return read },
		Directories: workdir.New(workdir.Deps{Log: &quiet}),
		Protected:   protect.New(protect.Places{Home: "/home/u"}, protect.Places{}),
		Space:       func() (disk.Space, error) { return disk.Space{Free: 7}, nil },
		Slots:       func() messages.SlotQueue { return messages.SlotQueue{} },
	})
}

// answer returns the answer to a query, which must be of a type.
func answer[R messages.Reply](t *testing.T, q *Queries, r messages.Request) R {
	t.Helper()
	got, err := q.Answer(t.Context(), r)
	if err != nil {
		t.Fatalf("%T: %v", r, err)
	}
	return got.(R)
}

// refused returns the kind of the error that answers a query.
func refused(t *testing.T, q *Queries, r messages.Request) messages.Kind {
	t.Helper()
	got, err := q.Answer(t.Context(), r)
	if err == nil {
		t.Errorf("%T is answered with %+v", r, got)
	}
	return messages.KindOf(err)
}
