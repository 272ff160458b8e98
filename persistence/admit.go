package persistence

import (
	"fmt"

	"betcode/messages"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/record"
)

// admit decides whether an append may be made to a session, and
// returns the session after it. It implements compare-and-append, and is
// pure. e is nil for a new session, whose number the caller
// sets.
func admit(e *entry, a *messages.Append) (*entry, *messages.Error) {
	if err := wellFormed(a); err != nil {
		return nil, err
	}
	switch {
	case e == nil && a.Delete:
		return nil, unknownSession(fault.OpAppend, a.Session)
	case e == nil:
		e = &entry{id: a.Session}
		if a.Expect == 0 && a.Record == nil {
			return nil, unknownSession(fault.OpAppend, a.Session).WithHint("The first append of a session carries its record.")
		}
	case e.deleted:
		return nil, messages.Errorf(fault.OpAppend, messages.NotFound, "session %q was deleted", a.Session).
			WithCode(messages.SessionClosed).With("session_id", string(a.Session))
	case a.Delete:
		next := *e
		next.deleted, next.damaged, next.stuck = true, nil, nil
		return &next, nil
	case e.damaged != nil:
		return nil, e.damage(fault.OpAppend, e.damaged)
	case e.stuck != nil:
		return nil, e.damage(fault.OpAppend, e.stuck)
	}
	if err := compare(e, a); err != nil {
		return nil, err
	}
	next := *e
	next.head += messages.Seq(len(a.Events))
	for _, event := range a.Events {
		next.bytes += uint64(len(event.Bytes))
	}
	if a.Cursor != nil {
		next.run, next.offset = a.Cursor.Run, a.Cursor.Offset
	}
	if r := a.Record; r != nil {
		next.describe(r)
	}
	return &next, nil
}

// compare refuses appends of a stale incarnation of an actor.
func compare(e *entry, a *messages.Append) *messages.Error {
	if a.Expect != e.head {
		return stale(a, "the head is %d, not %d", e.head, a.Expect)
	}
	for i, event := range a.Events {
		if want := a.Expect + messages.Seq(i) + 1; event.Seq != want {
			return stale(a, "event %d has number %d, not %d", i, event.Seq, want)
		}
	}
	c := a.Cursor
	switch {
	case c == nil:
		return nil
	case c.Run < e.run:
		return stale(a, "the cursor is of run %d; run %d has begun", c.Run, e.run)
	case c.Run > e.run && a.SpoolFrom != 0:
		return stale(a, "the spool of run %d is read from 0, not from %d", c.Run, a.SpoolFrom)
	case c.Run == e.run && a.SpoolFrom != e.offset:
		return stale(a, "the spool of run %d is read from %d, not from %d", c.Run, e.offset, a.SpoolFrom)
	}
	return nil
}

func stale(a *messages.Append, format string, args ...any) *messages.Error {
	return messages.Errorf(fault.OpAppend, messages.Aborted, format, args...).With("session_id", string(a.Session))
}

// wellFormed refuses appends that could not be stored, or not be found again.
func wellFormed(a *messages.Append) *messages.Error {
	invalid := func(format string, args ...any) *messages.Error {
		return messages.Errorf(fault.OpAppend, messages.Invalid, format, args...).With("session_id", string(a.Session))
	}
	if n := len(a.Session); n == 0 || n > record.MaxSessionID {
		return invalid("session id of %d bytes", n)
	}
	if a.Delete {
		return nil
	}
	if a.Record != nil && a.Record.ID != a.Session {
		return invalid("the record is of session %q", a.Record.ID)
	}
	if r := a.Run; r != nil && (r.Session != a.Session || r.Run == 0) {
		return invalid("run %d is of session %q", r.Run, r.Session)
	}
	if c := a.Cursor; c != nil && (a.SpoolFrom < 0 || c.Offset < a.SpoolFrom) {
		return invalid("the cursor moves from %d to %d", a.SpoolFrom, c.Offset)
	}
	for _, key := range a.Keys() {
		if err := nameable("idempotency key", key); err != nil {
			return invalid("%w", err)
		}
	}
	for i := range a.Answered {
		if err := nameable("idempotency key", a.Answered[i].Key); err != nil {
			return invalid("%w", err)
		}
	}
	for i := range a.Inputs {
		if err := nameable("input", a.Inputs[i].Key); err != nil {
			return invalid("%w", err)
		}
	}
	for i := range a.Permissions {
		p := &a.Permissions[i]
		if err := nameable("permission", string(p.Request)); err != nil {
			return invalid("%w", err)
		}
		if p.Session != a.Session {
			return invalid("permission %q is of session %q", p.Request, p.Session)
		}
	}
	return nil
}

func nameable(what, name string) error {
	if n := len(name); n == 0 || n > record.MaxName {
		return fmt.Errorf("%s with a key of %d bytes", what, n)
	}
	return nil
}
