package messages

import (
	"fmt"
	"time"
)

// Maintenance of the journal. The requests are answered on the caller's goroutine, take as long as
// they need, and end with the caller's context.

// GetJournalStats asks how large the journal is. Answered with [JournalStats].
type GetJournalStats struct{ ask }

// VerifyJournal reads the whole journal and checks it. Answered with [JournalReport]. Progress may
// be nil; it is called with the progress of each file.
type VerifyJournal struct {
	ask
	Progress func(JournalFile)
}

// BackupJournal copies the journal to a directory that does not exist or is empty. Answered with [JournalBackup].
type BackupJournal struct {
	ask
	Path string // absolute
	Link bool   // link files that are never written again, if possible
}

// JournalStats is the size of a journal, and counters since it was opened.
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
	GarbageBytes int64 // of sealed files and their payloads, that no session needs
	Payloads     int   // large ones, stored as files of their own
	PayloadBytes int64
	RetainBytes  int64         // limit for sealed files and their payloads; 0 = none
	RetainAge    time.Duration // limit for sealed files; 0 = none

	Commits      int64 // transactions
	Appends      int64 // accepted appends
	Refused      int64 // appends that were refused
	Events       int64 // appended
	EventBytes   int64 // of the appended events
	WrittenBytes int64 // written by the store in total
	Dropped      int64 // files dropped by retention
	Rewritten    int64 // files rewritten without their garbage
	Swept        int64 // unreferenced payloads that were removed

	LogBytes          int64  // in the log, not yet moved to the active file
	CheckpointBytes   int64  // size of the log at which a checkpoint begins
	Checkpoints       int64  // Checkpoints       int64  // number of checkpoints
	CheckpointFailure string // why the last checkpoint failed; empty: it did not
}

// JournalPart is one file of the journal.
type JournalPart struct {
	Name     string
	Bytes    int64
	SealedAt time.Time // zero: it is the active one
	Payloads int64     // bytes of the payloads of a sealed file
	Garbage  int64     // bytes of both that no session needs, as far as known
}

// JournalReport is the result of a [VerifyJournal].
type JournalReport struct {
	answer
	Files    []JournalFile
	Sessions int // live ones
	Problems []JournalProblem
}

// OK reports whether there was no problem.
func (r JournalReport) OK() bool { return len(r.Problems) == 0 }

// JournalFile is how much of one file was read.
type JournalFile struct {
	Name     string
	Bytes    int64
	Keys     int
	Events   int64
	Chained  int64 // events that are part of a hash chain
	Complete bool  // read to its end
}

// JournalProblem is one defect of a journal.
type JournalProblem struct {
	File string
	Key  string // empty: it is not about one key
	Err  error
}

// String describes the problem in one line.
func (p JournalProblem) String() string {
	if p.Key == "" {
		return fmt.Sprintf("%s: %v", p.File, p.Err)
	}
	return fmt.Sprintf("%s: %s: %v", p.File, p.Key, p.Err)
}

// JournalReclaimed is the result of reclaiming journal space.
type JournalReclaimed struct {
	answer
	Rewritten int   // files rewritten without their garbage
	Bytes     int64 // bytes that were reclaimed
	Swept     int   // unreferenced payloads that were removed
	Waiting   int   // files not rewritten for lack of free space
	Damaged   error // a file not rewritten because it is damaged; nil: none
}

// JournalBackup is a backup that was made.
type JournalBackup struct {
	answer
	Path        string
	Lineage     string // of the journal that was copied
	Files       int
	Bytes       int64
	LinkedBytes int64         // of these, linked instead of copied
	Paused      time.Duration // how long commits waited
}

// TrimHistory tells a session to trim its history up to a sequence. Sent by retention. Answered
// with [Done], also if the history was trimmed before.
type TrimHistory struct {
	ask
	Session SessionID
	To      Seq
	Bytes   uint64 // Past.LowWaterBytes afterwards
	Reason  string // RetainedAge or RetainedBytes
}

// Reasons why history is trimmed.
const (
	RetainedAge   = "age"
	RetainedBytes = "bytes"
)

// Target implements [SessionRequest].
func (m TrimHistory) Target() SessionID { return m.Session }
