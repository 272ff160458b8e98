package persistence

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"betcode/messages"
)

// model is a journal that is simple enough to be obviously correct.
type model map[messages.SessionID]*modelSession

type modelSession struct {
	deleted     bool
	events      []messages.Event
	record      messages.SessionRecord
	runs        map[messages.RunNumber]messages.RunRecord
	cursor      messages.Cursor
	inputs      map[string]messages.InputRecord
	permissions map[messages.RequestID]messages.PermissionRecord
	keys        map[string]messages.Seq
	low         messages.Seq // events up to here were trimmed
}

func (m model) apply(a messages.Append) (accepted bool) {
	s := m[a.Session]
	switch {
	case s != nil && s.deleted:
		return false
	case a.Delete:
		if s == nil {
			return false
		}
		m[a.Session] = &modelSession{deleted: true}
		return true
	case s == nil && a.Record == nil:
		return false
	case s == nil:
		s = &modelSession{
			runs: map[messages.RunNumber]messages.RunRecord{}, inputs: map[string]messages.InputRecord{},
			permissions: map[messages.RequestID]messages.PermissionRecord{}, keys: map[string]messages.Seq{},
		}
	}
	if int(a.Expect) != len(s.events) {
		return false
	}
	for i, e := range a.Events {
		if int(e.Seq) != len(s.events)+i+1 {
			return false
		}
	}
	if c := a.Cursor; c != nil {
		consumed := int64(0)
		if c.Run == s.cursor.Run {
			consumed = s.cursor.Offset
		}
		if c.Run < s.cursor.Run || a.SpoolFrom != consumed {
			return false
		}
		s.cursor = *c
	}
	m[a.Session] = s
	s.events = append(s.events, a.Events...)
	if a.Record != nil {
		s.record, s.low = *a.Record, a.Record.Past.LowWater
	}
	if a.Run != nil {
		s.runs[a.Run.Run] = *a.Run
	}
	for _, i := range a.Inputs {
		s.inputs[i.Key] = i
	}
	for _, key := range a.Done {
		delete(s.inputs, key)
	}
	for _, p := range a.Permissions {
		s.permissions[p.Request] = p
	}
	for _, request := range a.Resolved {
		delete(s.permissions, request)
	}
	for _, key := range a.Keys() {
		s.keys[key] = messages.Seq(len(s.events))
	}
	return true
}

func (s *modelSession) loaded() messages.SessionLoaded {
	l := messages.SessionLoaded{Found: true, Record: s.record, Cursor: s.cursor}
	l.Record.Head = messages.Seq(len(s.events))
	if len(s.runs) > 0 {
		l.Run = new(s.runs[slices.Max(slices.Collect(maps.Keys(s.runs)))])
	}
	l.Inputs = slices.SortedFunc(maps.Values(s.inputs), func(a, b messages.InputRecord) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), strings.Compare(a.Key, b.Key))
	})
	l.Permissions = slices.SortedFunc(maps.Values(s.permissions), func(a, b messages.PermissionRecord) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Request, b.Request))
	})
	return l
}

func (m model) live() []messages.SessionID {
	ids := slices.DeleteFunc(slices.Collect(maps.Keys(m)), func(id messages.SessionID) bool { return m[id].deleted })
	slices.SortFunc(ids, func(a, b messages.SessionID) int {
		return cmp.Or(m[b].record.UpdatedAt.Compare(m[a].record.UpdatedAt), cmp.Compare(a, b))
	})
	return ids
}

func (s *modelSession) unfinished() bool {
	for _, r := range s.runs {
		if r.State != messages.RunFinished {
			return true
		}
	}
	return len(s.inputs)+len(s.permissions) > 0
}
