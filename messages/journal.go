package messages

import (
	"errors"
	"fmt"
)

// Append is what one session hands to the journal at once: its events and
// everything that changes with them, in one transaction.
//
// It is compare-and-append: it is refused with [Aborted], and changes nothing,
// unless Expect is the session's head, the events are numbered from Expect+1
// without a gap, and SpoolFrom is the consumed offset of the cursor's run. So a
// stale incarnation of an actor can harm nothing.
//
// Sent by a session to the journal, which answers with [Committed] when the
// transaction is on disk, or with [AppendRefused].
type Append struct {
	command
	Session SessionID
	Commit  uint64 // chosen by the session, echoed in the answer

	Expect      Seq
	Events      []Event
	Record      *SessionRecord     // nil = unchanged
	Run         *RunRecord         // nil = unchanged
	Cursor      *Cursor            // nil = unchanged
	SpoolFrom   int64              // the offset Cursor moves from; read only if Cursor is set
	Inputs      []InputRecord      // put
	Settled     []string           // keys of inputs to delete
	Permissions []PermissionRecord // put
	Resolved    []RequestID        // ids of permissions to delete
	Key         string             // idempotency key to remember with the head of this append, may be empty
	Aliases     []string           // more of them
	Answered    []Remembered       // and requests under a key, with what they were answered
	Delete      bool               // remove the session; of Record its budget stays, everything else is ignored
}

// DeletedSession is what the journal has of a session that was deleted. Its consumption stays counted.
type DeletedSession struct {
	ID     SessionID
	Parent SessionID // of a subagent
	Budget Budget
}

// heavyBytes is the weight of an append whose own transaction would be noticed by
// those whose appends share it: its sync takes as long as several of others.
const heavyBytes = 256 << 10

// Heavy reports whether the append is to be staged before it is committed.
func (a *Append) Heavy() bool { return a.weight() >= heavyBytes }

// weight is about how many bytes the append makes the journal write.
func (a *Append) weight() (bytes int) {
	for i := range a.Events {
		bytes += len(a.Events[i].Bytes)
	}
	for i := range a.Inputs {
		bytes += len(a.Inputs[i].Content)
		for j := range a.Inputs[i].Attachments {
			bytes += len(a.Inputs[i].Attachments[j].Data)
		}
	}
	return bytes
}

// Keys are all idempotency keys of the append.
func (a *Append) Keys() []string {
	if a.Key == "" {
		return a.Aliases
	}
	return append([]string{a.Key}, a.Aliases...)
}

// Committed says that an [Append] is durable.
type Committed struct {
	command
	Session SessionID
	Commit  uint64
}

// AppendRefused says that an [Append] changed nothing, and why.
type AppendRefused struct {
	command
	Session SessionID
	Commit  uint64
	Err     *Error
}

// LoadSession asks the journal for everything a session is rebuilt from. It is
// answered, with [SessionLoaded], after every [Append] that was sent before it
// has been decided, so that a restarted session never reads past its own
// earlier words.
type LoadSession struct {
	ask
	Session SessionID
}

// SessionLoaded is the answer to [LoadSession]. Found is false, and the rest
// empty, for a session that the journal does not know.
type SessionLoaded struct {
	answer
	Found       bool
	Record      SessionRecord
	Run         *RunRecord // the newest run, nil before the first
	Cursor      Cursor     // of that run
	Inputs      []InputRecord
	Permissions []PermissionRecord
}

// JournalDamaged is the condition of a session whose records cannot be read: see
// [DamagedSession].
const JournalDamaged Condition = "journal_damaged"

// StateNotWritable is the condition of a session for whose agent no run directory can
// be made.
const StateNotWritable Condition = "state_not_writable"

// DamagedSession is a session that the journal cannot load. Its record is what can
// be read of it: [PhaseDamaged], and at least the id. Its history can be read as far
// as it is sound, and the session can be deleted; nothing else.
type DamagedSession struct {
	Record SessionRecord
	Err    *Error // names what is damaged; of [DataLoss]
}

// HistoryGap is a part of a history that cannot be read: the events From to To,
// both included. To is 0 when nothing behind it can be read either.
type HistoryGap struct {
	From, To Seq
	Reason   string
}

// JournalFinding is damage that was met when the journal was opened, and what was done
// about it. The journal is in use: a finding without a session lost nothing that was
// committed.
type JournalFinding struct {
	File    string
	Offset  int64 // in bytes; -1 = the file as a whole
	Problem string
	Outcome string
	Crash   bool // a crash leaves the same: it may be no damage at all
}

// String describes the finding in one line.
func (f JournalFinding) String() string {
	where := f.File
	if f.Offset >= 0 {
		where = fmt.Sprintf("%s at offset %d", f.File, f.Offset)
	}
	return fmt.Sprintf("%s: %s; %s", where, f.Problem, f.Outcome)
}

// CauseOf returns the text of an error without what was being done.
func CauseOf(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}
