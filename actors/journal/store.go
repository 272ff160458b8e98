package journal

import (
	"context"

	"betcode/messages"
)

// Store is the part of the journal's files that the actors need.
// persistence.Store implements it.
type Store interface {
	// Commit writes a group of appends in one transaction and returns one result for each.
	Commit(appends []messages.Append) []error
	// Stage writes the large parts of an append before it is committed, while other commits go on. All earlier appends of its
	// session must be committed.
	Stage(messages.Append)
	// Load returns everything a session is rebuilt from.
	Load(messages.SessionID) (messages.SessionLoaded, error)
	// DamagedSessions counts the sessions that cannot be loaded, Damaged lists them, and Salvage returns the readable parts of
	// one.
	DamagedSessions() (number int, first messages.SessionID)
	Damaged() ([]messages.DamagedSession, error)
	// Findings lists the damage that was found when the journal was opened.
	Findings() []messages.JournalFinding
	Salvage(messages.SessionID) (messages.DamagedSession, bool, error)
	// Salvaged is Events for a damaged session; gap is the range that was passed over.
	Salvaged(session messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, *messages.HistoryGap, error)
	// Events returns copies of the events after a number, at most so many events and about so many bytes.
	Events(session messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, error)
	// Sessions, Resolve, Pending, Unfinished and Seen read the projections.
	Sessions(workingDirectory, worktree string, limit, offset int) ([]messages.SessionRecord, int, error)
	// Conversations is Sessions without subagents and without the records of sessions that known reports, Subagents lists those of
	// a session or all, oldest first, and RunningSubagents returns those that have not ended, without I/O.
	Conversations(workingDirectory, worktree string, limit, offset int, known func(messages.SessionID, messages.Revision) bool) (messages.SessionList, error)
	// Select is Conversations for the sessions that wanted selects. It does not read the others.
	Select(workingDirectory, worktree string, wanted func(messages.SessionID, messages.Rest) bool) ([]messages.SessionRecord, error)
	Subagents(parent messages.SessionID) ([]messages.SessionRecord, error)
	RunningSubagents(parent messages.SessionID) []messages.SessionID
	// Outline returns the part of a session's record that needs no I/O, and Outlines those of all sessions.
	Outline(messages.SessionID) (messages.SessionOutline, bool)
	Outlines() []messages.SessionOutline
	// Deleted returns the records that remain of deleted sessions, without I/O.
	Deleted() []messages.DeletedSession
	Resolve(reference, directory string) (messages.SessionID, error)
	// Named returns the session to which people have given a name in a directory, without I/O.
	Named(directory, name string) (messages.SessionID, bool)
	Pending(messages.SessionID) ([]messages.PermissionRecord, error)
	Unfinished() ([]messages.SessionID, error)
	Seen(session messages.SessionID, key string) (messages.Seq, bool, error)
	// StoredResult returns the stored result of the request with an idempotency key.
	StoredResult(session messages.SessionID, key string) (messages.StoredResult, bool, error)
	// CheckpointDue reports whether the log is long enough for a checkpoint. Checkpoint moves it into the active file, while
	// commits go on.
	CheckpointDue() bool
	Checkpoint() error
	// SealDue reports whether the active file is large enough to be closed permanently. Seal closes it and carries all live state
	// into the next.
	SealDue() bool
	Seal() error
	// Try makes a trial write, which changes nothing, to find out whether the journal is writable. It may wait for a checkpoint;
	// no commit waits for it.
	Try() error
	// Reopen opens the files again, so that they are writable, or returns why they are not. It loses no commit.
	Reopen() error
	// Lineage identifies the journal: a restored journal has another.
	Lineage() string
	Upkeep
}

// Upkeep is the maintenance of the journal's files. All methods may be called while the journal is used.
type Upkeep interface {
	// Stats returns the size of the journal.
	Stats() messages.JournalStats
	// Verify reads it from end to end.
	Verify(ctx context.Context, progress func(messages.JournalFile)) (messages.JournalReport, error)
	// Backup copies a consistent snapshot of it to a new directory.
	Backup(ctx context.Context, path string, link bool) (messages.JournalBackup, error)
	// Retain drops the files that are older, or more, than the settings allow.
	Retain() (dropped int, err error)
	// Reclaim removes garbage. It may take long, and uses at most room bytes of additional space meanwhile, or any amount if
	// room is negative.
	Reclaim(ctx context.Context, room int64) (messages.JournalReclaimed, error)
}
