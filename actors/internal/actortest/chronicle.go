package actortest

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"betcode/messages"
)

// Chronicle is a journal's content of one session: a model that is obviously
// right, by the rules of [messages.Append].
type Chronicle struct {
	Exists, Deleted bool
	Remains         messages.DeletedSession // of a deleted one
	Events          []messages.Event
	Record          messages.SessionRecord
	Runs            map[messages.RunNumber]messages.RunRecord
	Cursor          messages.Cursor
	Inputs          map[string]messages.InputRecord
	Permissions     map[messages.RequestID]messages.PermissionRecord
	Keys            map[string]messages.Seq
	Answered        map[string]messages.StoredResult
}

// NewChronicle returns the content of a session that was never started.
func NewChronicle() *Chronicle {
	return &Chronicle{
		Runs: map[messages.RunNumber]messages.RunRecord{}, Inputs: map[string]messages.InputRecord{},
		Permissions: map[messages.RequestID]messages.PermissionRecord{}, Keys: map[string]messages.Seq{},
		Answered: map[string]messages.StoredResult{},
	}
}

// Head returns the number of the newest event, 0 before the first.
func (c *Chronicle) Head() messages.Seq { return messages.Seq(len(c.Events)) }

// Apply makes an append, or returns why it is refused and changes nothing.
func (c *Chronicle) Apply(a messages.Append) *messages.Error {
	refuse := func(format string, args ...any) *messages.Error {
		return messages.Errorf("append", messages.Aborted, format, args...)
	}
	switch {
	case c.Deleted:
		return messages.Errorf("append", messages.NotFound, "session %s was deleted", a.Session).WithCode(messages.SessionClosed)
	case a.Delete && !c.Exists:
		return messages.Errorf("append", messages.NotFound, "session %s does not exist", a.Session)
	case a.Delete:
		remains := messages.DeletedSession{ID: a.Session}
		if a.Record != nil {
			remains.Budget = a.Record.Budget
		}
		if a.Record != nil && a.Record.Subagent != nil {
			remains.Parent = a.Record.Subagent.Parent
		}
		*c = *NewChronicle()
		c.Deleted, c.Remains = true, remains
		return nil
	case !c.Exists && a.Record == nil:
		return messages.Errorf("append", messages.NotFound, "session %s does not exist", a.Session)
	case a.Record != nil && a.Record.ID != a.Session:
		return messages.Errorf("append", messages.Invalid, "the record is of %q", a.Record.ID)
	case a.Expect != c.Head():
		return refuse("the head is %d, not %d", c.Head(), a.Expect)
	}
	for i, e := range a.Events {
		if want := a.Expect + messages.Seq(i) + 1; e.Seq != want {
			return refuse("event %d has the number %d, not %d", i, e.Seq, want)
		}
	}
	if m := a.Cursor; m != nil {
		consumed := int64(0)
		if m.Run == c.Cursor.Run {
			consumed = c.Cursor.Offset
		}
		if m.Run < c.Cursor.Run || a.SpoolFrom != consumed || m.Offset < a.SpoolFrom {
			return refuse("the cursor moves from %d to %d of run %d, it is at %d of run %d", a.SpoolFrom, m.Offset, m.Run, consumed, c.Cursor.Run)
		}
	}
	if problem := malformed(a); problem != "" {
		return messages.Errorf("append", messages.Invalid, "%s", problem)
	}
	c.put(a)
	return nil
}

// malformed returns why an append could not be stored.
func malformed(a messages.Append) string {
	if a.Run != nil && (a.Run.Session != a.Session || a.Run.Run == 0) {
		return fmt.Sprintf("run %d is of %q", a.Run.Run, a.Run.Session)
	}
	for _, in := range a.Inputs {
		if in.Key == "" || len(in.Key) > 1024 {
			return fmt.Sprintf("an input with a key of %d bytes", len(in.Key))
		}
	}
	for _, p := range a.Permissions {
		if p.Session != a.Session || p.Request == "" || len(p.Request) > 1024 {
			return fmt.Sprintf("request %.20q of %q", p.Request, p.Session)
		}
	}
	return ""
}

func (c *Chronicle) put(a messages.Append) {
	c.Exists = true
	c.Events = append(c.Events, a.Events...)
	if a.Record != nil {
		c.Record = *a.Record
	}
	if a.Run != nil {
		c.Runs[a.Run.Run] = *a.Run
	}
	if a.Cursor != nil {
		c.Cursor = *a.Cursor
	}
	for _, in := range a.Inputs {
		c.Inputs[in.Key] = in
	}
	for _, key := range a.Done {
		delete(c.Inputs, key)
	}
	for _, p := range a.Permissions {
		c.Permissions[p.Request] = p
	}
	for _, id := range a.Resolved {
		delete(c.Permissions, id)
	}
	for _, key := range a.Keys() {
		c.Keys[key] = c.Head()
	}
	for _, r := range a.Answered {
		c.Keys[r.Key], c.Answered[r.Key] = c.Head(), r
	}
}

// Loaded returns the data that a session is rebuilt from.
func (c *Chronicle) Loaded() messages.SessionLoaded {
	if !c.Exists {
		return messages.SessionLoaded{}
	}
	l := messages.SessionLoaded{Found: true, Record: c.Record, Cursor: c.Cursor}
	l.Record.Head = c.Head()
	for _, r := range c.Runs {
		if l.Run == nil || r.Run > l.Run.Run {
			l.Run = &r
		}
	}
	l.Inputs = slices.SortedFunc(maps.Values(c.Inputs), func(a, b messages.InputRecord) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), strings.Compare(a.Key, b.Key))
	})
	l.Permissions = slices.SortedFunc(maps.Values(c.Permissions), func(a, b messages.PermissionRecord) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Request, b.Request))
	})
	return l
}

// After returns the events behind a number, within bounds.
func (c *Chronicle) After(seq messages.Seq, maxEvents, maxBytes int) []messages.Event {
	var events []messages.Event
	for _, e := range c.Events[min(max(seq, c.Record.Past.LowWater), c.Head()):] {
		if len(events) == maxEvents || maxBytes <= 0 {
			break
		}
		maxBytes -= len(e.Bytes)
		events = append(events, messages.Event{Seq: e.Seq, Bytes: bytes.Clone(e.Bytes)})
	}
	return events
}

// Has reports whether the journal has an event, with the same bytes.
func (c *Chronicle) Has(e messages.Event) bool {
	return e.Seq > 0 && e.Seq <= c.Head() && bytes.Equal(c.Events[e.Seq-1].Bytes, e.Bytes)
}

// Unfinished reports whether an actor has work left.
func (c *Chronicle) Unfinished() bool {
	for _, r := range c.Runs {
		if r.State != messages.RunFinished {
			return true
		}
	}
	if s := c.Record.Subagent; s != nil && !s.Status.Final() {
		return true
	}
	return len(c.Inputs)+len(c.Permissions) > 0 || c.Record.Turn && c.Record.Waiting == "" && c.Record.Condition == ""
}

// Clone returns a copy that later appends to c do not change.
func (c *Chronicle) Clone() *Chronicle {
	next := *c
	next.Events, next.Runs, next.Inputs = slices.Clone(c.Events), maps.Clone(c.Runs), maps.Clone(c.Inputs)
	next.Permissions, next.Keys = maps.Clone(c.Permissions), maps.Clone(c.Keys)
	return &next
}
