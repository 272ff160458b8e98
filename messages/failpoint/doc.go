// Package failpoint names the places where the crash harness ends the daemon or injects a fault.
//
// In an ordinary build, [Hit] and [Fail] are empty functions that the compiler removes. With the
// build tag "failpoint" they read the environment:
//
//	BETCODE_FAILPOINT="journal/before-commit=kill@3"
//	BETCODE_FAILPOINT="seal/due=error@2,seal/built=kill@1"
//
// Each entry is name=action@n: the action is executed once, when the place is reached for the n-th
// time in the process. With % instead of @ it is executed every n-th time.
//
//	kill       the process ends by SIGKILL, without cleanup
//	panic      a panic in the goroutine at the place
//	sleep:DUR  the goroutine sleeps
//	error      [Fail] returns an error; [Hit] does nothing
//
// Each executed action, except error, writes one line to standard error that begins with [Mark], so
// that the harness knows that the place was reached.
//
// A place whose name ends in "/due" decides whether rare work is due; an error makes it due. So the
// harness can seal files every few commits without options for small sizes.
//
// The names are constants here and not strings at the places, so that [Names] is complete and a
// test of all places omits none.
package failpoint

import (
	"slices"
	"strings"
)

// Mark begins the line about an executed action.
const Mark = "failpoint: "

// Variable is the environment variable that arms failpoints.
const Variable = "BETCODE_FAILPOINT"

// The places.
const (
	// In the journal: around the write of a group to the log, and around a checkpoint.
	BeforeCommit    = "journal/before-commit"     // the group is not encoded
	InCommit        = "journal/in-commit"         // it is encoded, in memory
	BeforeLogWrite  = "journal/before-log-write"  // its bytes for the log are complete
	AfterLogWrite   = "journal/after-log-write"   // it is in the log, perhaps not durable
	AfterLogSync    = "journal/after-log-sync"    // it is durable, not yet readable
	AfterCommit     = "journal/after-commit"      // it is readable, not acknowledged
	CheckpointDue   = "checkpoint/due"            // checked at each commit
	CheckpointBegun = "checkpoint/begun"          // nothing has happened
	LogTurned       = "checkpoint/log-turned"     // commits go to the other log
	InCheckpoint    = "checkpoint/in-transaction" // the transaction is filled, not committed
	AfterCheckpoint = "checkpoint/committed"      // it is committed, the rows are still in memory

	// Where large payloads are stored as files before the transaction that refers to them, and
	// where unreferenced ones are removed.
	BlobBegun   = "checkpoint/payload-begun"   // the file does not exist
	BlobWritten = "checkpoint/payload-written" // it is written under another name, perhaps not durable
	BlobNamed   = "checkpoint/payload-named"   // its content is durable, its name may be
	BlobsKept   = "checkpoint/payloads-kept"   // all payloads and names are durable; the transaction has not begun
	Staged      = "journal/staged"             // all payloads of an append are durable; it is not committed
	ReclaimDue  = "reclaim/due"                // checked at each commit
	SweepBegun  = "reclaim/sweep-begun"        // all references were read
	SweepMarked = "reclaim/sweep-marked"       // the unreferenced files of one directory are known
	SweepDone   = "reclaim/sweep-done"

	// Where a sealed file is rewritten without its garbage.
	RewriteDue   = "rewrite/due"   // checked for each sealed file when space is reclaimed
	RewriteBegun = "rewrite/begun" // nothing has happened
	RewriteBuilt = "rewrite/built" // the new file exists, MANIFEST does not name it
	DropNamed    = "rewrite/named" // MANIFEST names the new file, or drops one; the old one is still in use
	RewriteDone  = "rewrite/done"  // the old file is removed

	// Where the journal of an older build is migrated.
	MigrationBegun = "migration/begun"
	MigrationKept  = "migration/kept"  // a copy of the old journal is kept beside it
	MigrationLogs  = "migration/logs"  // the logs exist, MANIFEST does not name them
	MigrationNamed = "migration/named" // MANIFEST has the new format

	SealDue   = "seal/due"   // checked at each commit
	SealBegun = "seal/begun" // nothing is copied yet
	SealBuilt = "seal/built" // the next file exists, MANIFEST does not name it
	SealNamed = "seal/named" // MANIFEST names it, the old one is still in use

	// Where the copies of MANIFEST are replaced.
	ManifestWritten = "manifest/written" // both are complete, under other names
	ManifestNamed   = "manifest/named"   // the first, or the second too, has its name

	// Where the output of an agent is archived, and its spool removed.
	ArchiveWritten = "archive/written" // a segment is compressed, perhaps not durable
	ArchiveSynced  = "archive/synced"  // it is durable, under another name
	ArchiveNamed   = "archive/named"   // it has its name, perhaps not durable
	ArchiveKept    = "archive/kept"    // the archive is complete; the spool is unchanged
	ArchiveDone    = "archive/done"    // the space of the spool is reclaimed

	// Around the agent's process.
	BeforeSpawn  = "run/before-spawn" // the intent is durable
	Prepared     = "run/prepared"     // the run directory exists, no process
	AfterSpawn   = "run/after-spawn"  // the process exists, the journal does not record it
	BeforeAdopt  = "run/before-adopt" // a process may exist
	AfterAdopt   = "run/after-adopt"  // it was adopted, or not found
	BeforeWrite  = "run/before-write" // a line for the agent is not in the pipe
	AfterWrite   = "run/after-write"  // the line is in the pipe, the journal does not record it
	RunStep      = "run/step"         // in the actor
	SpoolRead    = "run/spool-read"   // lines were read, and not sent on
	SessionLoad  = "session/loaded"   // the journal has answered, nothing has followed
	SessionStep  = "session/step"     // in the actor, before each message
	JournalStep  = "journal/step"     // in the actor
	ClientStep   = "client/step"      // in the actor
	OutboxPushed = "client/pushed"    // events are in the outbox of a client
	Recovered    = "sessions/found"   // sessions with work were found, none is started

	// Around the messages from and to a proxy.
	ProxyFrames = "proxy/frames" // frames have arrived, none is appended
	ProxyTaken  = "proxy/taken"  // they are durable, not acknowledged
	ProxySend   = "proxy/send"   // a message, a decision or an interrupt is recorded as sent, and is not sent yet
)

// Names lists every place.
func Names() []string {
	return []string{
		BeforeCommit, InCommit, BeforeLogWrite, AfterLogWrite, AfterLogSync, AfterCommit,
		CheckpointDue, CheckpointBegun, LogTurned, BlobBegun, BlobWritten, BlobNamed, BlobsKept, Staged, InCheckpoint, AfterCheckpoint,
		ReclaimDue, SweepBegun, SweepMarked, SweepDone, RewriteDue, RewriteBegun, RewriteBuilt, DropNamed, RewriteDone,
		MigrationBegun, MigrationKept, MigrationLogs, MigrationNamed, SealDue, SealBegun, SealBuilt, SealNamed, ManifestWritten, ManifestNamed,
		ArchiveWritten, ArchiveSynced, ArchiveNamed, ArchiveKept, ArchiveDone,
		BeforeSpawn, Prepared, AfterSpawn, BeforeAdopt, AfterAdopt, BeforeWrite, AfterWrite, RunStep, SpoolRead,
		SessionLoad, SessionStep, JournalStep, ClientStep, OutboxPushed, Recovered, ProxyFrames, ProxyTaken, ProxySend,
	}
}

// Dues lists the places that decide whether rare work is due.
func Dues() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return !strings.HasSuffix(name, "/due") })
}

// Actors lists the places inside an actor, where a panic crashes the actor.
func Actors() []string {
	return []string{RunStep, SpoolRead, BeforeWrite, SessionLoad, SessionStep, JournalStep, BeforeCommit, ClientStep}
}
