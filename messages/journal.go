package messages

import (
	"errors"
	"fmt"
)

// Append is one transaction of a session: events, and the records that change with them.
//
// It is compare-and-append: the journal refuses it with [Aborted], and changes nothing,
// unless Expect is the session's head, the events are numbered from Expect+1 without a
// gap, and SpoolFrom is the consumed offset of the cursor's run. So an actor with stale
// state cannot do harm.
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
	Done        []string           // keys of inputs to delete
	Permissions []PermissionRecord // put
	Resolved    []RequestID        // ids of permissions to delete
	Key         string             // idempotency key to store with the head of this append; may be empty
	Aliases     []string           // further idempotency keys
	Answered    []StoredResult     // requests under a key, with their answers
	Delete      bool               // remove the session; the budget of Record is kept, everything else is ignored
}

// DeletedSession is what the journal keeps of a deleted session, whose consumption still counts.
type DeletedSession struct {
	ID     SessionID
	Parent SessionID // of a subagent
	Budget Budget
}

// heavyBytes is the weight from which an append would delay the other appends of its
// group: its sync takes as long as several of theirs.
const heavyBytes = 256 << 10

// Heavy reports whether the journal stages the append before it commits it.
func (a *Append) Heavy() bool { return a.weight() >= heavyBytes }

// weight estimates how many bytes the journal writes for the append.
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

// Keys returns all idempotency keys of the append.
func (a *Append) Keys() []string {
	if a.Key == "" {
		return a.Aliases
	}
	return append([]string{a.Key}, a.Aliases...)
}

// Committed reports that an [Append] is durable. Sent by the journal.
type Committed struct {
	command
	Session SessionID
	Commit  uint64
}

// AppendRefused reports that an [Append] changed nothing, and why. Sent by the journal.
type AppendRefused struct {
	command
	Session SessionID
	Commit  uint64
	Err     *Error
}

// LoadSession asks the journal for the records from which a session is rebuilt. The
// journal answers with [SessionLoaded] after it has committed or refused every earlier
// [Append], so that a restarted session never misses appends of its predecessor.
type LoadSession struct {
	ask
	Session SessionID
}

// SessionLoaded is the answer to [LoadSession]. Found is false, and the rest empty, for
// an unknown session.
type SessionLoaded struct {
	answer
	Found       bool
	Record      SessionRecord
	Run         *RunRecord // the newest run, nil before the first
	Cursor      Cursor     // of that run
	Inputs      []InputRecord
	Permissions []PermissionRecord
}

// JournalDamaged is the condition of a [DamagedSession].
const JournalDamaged Condition = "journal_damaged"

// StateNotWritable is the condition of a session whose run directory cannot be created.
const StateNotWritable Condition = "state_not_writable"

// DamagedSession is a session that the journal cannot load. Its record has what can be
// read, at least the id, and [PhaseDamaged]. The session can be deleted, and the intact
// parts of its history can be read; nothing else is possible.
type DamagedSession struct {
	Record SessionRecord
	Err    *Error // names the damage; of kind [DataLoss]
}

// HistoryGap is a part of a history that cannot be read: the events From to To,
// inclusive. To is 0 if nothing after From can be read.
type HistoryGap struct {
	From, To Seq
	Reason   string
}

// JournalFinding is damage found when the journal was opened, and how it was handled.
// Committed data is lost only if Outcome names damaged sessions.
type JournalFinding struct {
	File    string
	Offset  int64 // in bytes; -1 = the file as a whole
	Problem string
	Outcome string
	Crash   bool // a crash leaves the same state, so it may be no damage
}

// String describes the finding in one line.
func (f JournalFinding) String() string {
	where := f.File
	if f.Offset >= 0 {
		where = fmt.Sprintf("%s at offset %d", f.File, f.Offset)
	}
	return fmt.Sprintf("%s: %s; %s", where, f.Problem, f.Outcome)
}

// CauseOf returns the text of an error without its operation.
func CauseOf(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}
