package actors

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"betcode/messages"
)

// chronicle is what a journal knows of one session: a model that is obviously
// right, by the rules of [messages.Append].
type chronicle struct {
	exists, deleted bool
	events          []messages.Event
	record          messages.SessionRecord
	runs            map[messages.RunNumber]messages.RunRecord
	cursor          messages.Cursor
	inputs          map[string]messages.InputRecord
	permissions     map[messages.RequestID]messages.PermissionRecord
	keys            map[string]messages.Seq
	answered        map[string]messages.Remembered
}

func newChronicle() *chronicle {
	return &chronicle{
		runs: map[messages.RunNumber]messages.RunRecord{}, inputs: map[string]messages.InputRecord{},
		permissions: map[messages.RequestID]messages.PermissionRecord{}, keys: map[string]messages.Seq{},
		answered: map[string]messages.Remembered{},
	}
}

func (c *chronicle) head() messages.Seq { return messages.Seq(len(c.events)) }

// apply makes an append, or says why it is refused and changes nothing.
func (c *chronicle) apply(a messages.Append) *messages.Error {
	refuse := func(format string, args ...any) *messages.Error {
		return messages.Errorf("append", messages.Aborted, format, args...)
	}
	switch {
	case c.deleted:
		return messages.Errorf("append", messages.NotFound, "session %s was deleted", a.Session).WithCode(messages.SessionClosed)
	case a.Delete && !c.exists:
		return messages.Errorf("append", messages.NotFound, "session %s does not exist", a.Session)
	case a.Delete:
		*c = *newChronicle()
		c.deleted = true
		return nil
	case !c.exists && a.Record == nil:
		return messages.Errorf("append", messages.NotFound, "session %s does not exist", a.Session)
	case a.Record != nil && a.Record.ID != a.Session:
		return messages.Errorf("append", messages.Invalid, "the record is of %q", a.Record.ID)
	case a.Expect != c.head():
		return refuse("the head is %d, not %d", c.head(), a.Expect)
	}
	for i, e := range a.Events {
		if want := a.Expect + messages.Seq(i) + 1; e.Seq != want {
			return refuse("event %d has the number %d, not %d", i, e.Seq, want)
		}
	}
	if m := a.Cursor; m != nil {
		consumed := int64(0)
		if m.Run == c.cursor.Run {
			consumed = c.cursor.Offset
		}
		if m.Run < c.cursor.Run || a.SpoolFrom != consumed || m.Offset < a.SpoolFrom {
			return refuse("the cursor moves from %d to %d of run %d, it is at %d of run %d", a.SpoolFrom, m.Offset, m.Run, consumed, c.cursor.Run)
		}
	}
	if problem := malformed(a); problem != "" {
		return messages.Errorf("append", messages.Invalid, "%s", problem)
	}
	c.put(a)
	return nil
}

// malformed says what could not be stored.
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

func (c *chronicle) put(a messages.Append) {
	c.exists = true
	c.events = append(c.events, a.Events...)
	if a.Record != nil {
		c.record = *a.Record
	}
	if a.Run != nil {
		c.runs[a.Run.Run] = *a.Run
	}
	if a.Cursor != nil {
		c.cursor = *a.Cursor
	}
	for _, in := range a.Inputs {
		c.inputs[in.Key] = in
	}
	for _, key := range a.Settled {
		delete(c.inputs, key)
	}
	for _, p := range a.Permissions {
		c.permissions[p.Request] = p
	}
	for _, id := range a.Resolved {
		delete(c.permissions, id)
	}
	for _, key := range a.Keys() {
		c.keys[key] = c.head()
	}
	for _, r := range a.Answered {
		c.keys[r.Key], c.answered[r.Key] = c.head(), r
	}
}

// loaded is what a session is rebuilt from.
func (c *chronicle) loaded() messages.SessionLoaded {
	if !c.exists {
		return messages.SessionLoaded{}
	}
	l := messages.SessionLoaded{Found: true, Record: c.record, Cursor: c.cursor}
	l.Record.Head = c.head()
	for _, r := range c.runs {
		if l.Run == nil || r.Run > l.Run.Run {
			l.Run = &r
		}
	}
	l.Inputs = slices.SortedFunc(maps.Values(c.inputs), func(a, b messages.InputRecord) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), strings.Compare(a.Key, b.Key))
	})
	l.Permissions = slices.SortedFunc(maps.Values(c.permissions), func(a, b messages.PermissionRecord) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Request, b.Request))
	})
	return l
}

// after returns the events behind a number, within bounds.
func (c *chronicle) after(seq messages.Seq, maxEvents, maxBytes int) []messages.Event {
	var events []messages.Event
	for _, e := range c.events[min(max(seq, c.record.Past.LowWater), c.head()):] {
		if len(events) == maxEvents || maxBytes <= 0 {
			break
		}
		maxBytes -= len(e.Bytes)
		events = append(events, messages.Event{Seq: e.Seq, Bytes: bytes.Clone(e.Bytes)})
	}
	return events
}

// has reports whether an event is in the journal as it is shown.
func (c *chronicle) has(e messages.Event) bool {
	return e.Seq > 0 && e.Seq <= c.head() && bytes.Equal(c.events[e.Seq-1].Bytes, e.Bytes)
}

// unfinished reports whether something is left to do for an actor.
func (c *chronicle) unfinished() bool {
	for _, r := range c.runs {
		if r.State != messages.RunFinished {
			return true
		}
	}
	return len(c.inputs)+len(c.permissions) > 0
}

func (c *chronicle) clone() *chronicle {
	next := *c
	next.events, next.runs, next.inputs = slices.Clone(c.events), maps.Clone(c.runs), maps.Clone(c.inputs)
	next.permissions, next.keys = maps.Clone(c.permissions), maps.Clone(c.keys)
	return &next
}
