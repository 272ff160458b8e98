package messages

import (
	"fmt"
	"time"
)

// Looking after the journal. The gateway asks; who answers works while it is
// asked, for as long as it takes, and stops when the question's context ends.

// GetJournalStats asks how large the journal is. Answered with [JournalStats].
type GetJournalStats struct{ ask }

// VerifyJournal asks for the journal to be read from end to end. Answered with
// [JournalReport]. Progress, which may be nil, is called meanwhile with what was
// read of a file so far.
type VerifyJournal struct {
	ask
	Progress func(JournalFile)
}

// BackupJournal asks for a copy of the journal in a directory that does not
// exist or is empty. Answered with [JournalBackup].
type BackupJournal struct {
	ask
	Path string // absolute
	Link bool   // link what will never be written to again, where that is possible
}

// JournalStats is what a journal is and what has been done to it since it was
// opened.
type JournalStats struct {
	answer
	Directory    string
	Lineage      string
	Format       int
	Sessions     int // that can be listed
	Files        []JournalPart
	ActiveBytes  int64 // of the active file
	SealedFiles  int
	SealedBytes  int64
	GarbageBytes int64 // of sealed files, and of what came with them, that no session needs
	Payloads     int   // kept out of line, because they are large
	PayloadBytes int64
	RetainBytes  int64         // of sealed files and what came with them; 0 = any number
	RetainAge    time.Duration // of sealed files; 0 = any age

	Commits      int64 // transactions
	Appends      int64 // that were accepted
	Refused      int64 // appends that were not
	Events       int64 // appended
	EventBytes   int64 // of those events
	WrittenBytes int64 // by the store, for all of it
	Dropped      int64 // files, by retention
	Rewritten    int64 // files, without what was garbage
	Swept        int64 // payloads that no file referred to any more

	LogBytes          int64  // in the log, to be moved into the active file
	CheckpointBytes   int64  // at which that is done
	Checkpoints       int64  // how often that was done
	CheckpointFailure string // why it was not, the last time; empty: it was
}

// JournalPart is one file of the journal.
type JournalPart struct {
	Name     string
	Bytes    int64
	SealedAt time.Time // zero: it is the active one
	Payloads int64     // bytes that came with a sealed one, outside of it
	Garbage  int64     // of both, that no session needs, as far as is known
}

// JournalReport is what was found in a journal that was read from end to end.
type JournalReport struct {
	answer
	Files    []JournalFile
	Sessions int // live ones
	Problems []JournalProblem
}

// OK reports whether there was no problem.
func (r JournalReport) OK() bool { return len(r.Problems) == 0 }

// JournalFile is what was read of one file.
type JournalFile struct {
	Name     string
	Bytes    int64
	Keys     int
	Events   int64
	Chained  int64 // of those events, that are part of a hash chain
	Complete bool  // read to its end
}

// JournalProblem is one thing that is not as it should be.
type JournalProblem struct {
	File string
	Key  string // empty: it is not about one key
	Err  error
}

// String names the problem in one line.
func (p JournalProblem) String() string {
	if p.Key == "" {
		return fmt.Sprintf("%s: %v", p.File, p.Err)
	}
	return fmt.Sprintf("%s: %s: %v", p.File, p.Key, p.Err)
}

// JournalReclaimed is the room that was given back.
type JournalReclaimed struct {
	answer
	Rewritten int   // files, without what no session needs
	Bytes     int64 // by which they are smaller
	Swept     int   // payloads that no file referred to
	Waiting   int   // files that are to be rewritten, for which there was no room
	Damaged   error // a file that was to be rewritten and is damaged; nil: none
}

// JournalBackup is a backup that was made.
type JournalBackup struct {
	answer
	Path        string
	Lineage     string // of the journal that was copied
	Files       int
	Bytes       int64
	LinkedBytes int64         // of them, linked and not copied
	Paused      time.Duration // how long commits waited
}

// TrimHistory tells a session to give up what lies up to a number. Sent by the
// retention; answered with [Done], also where there is nothing to do any more.
type TrimHistory struct {
	ask
	Session SessionID
	To      Seq
	Bytes   uint64 // Past.LowWaterBytes from then on
	Reason  string // RetainedAge or RetainedBytes
}

// Why history is given up.
const (
	RetainedAge   = "age"
	RetainedBytes = "bytes"
)

// Target implements [SessionRequest].
func (m TrimHistory) Target() SessionID { return m.Session }
