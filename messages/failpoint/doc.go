// Package failpoint names the places where the crash harness ends the daemon, or
// makes something go wrong in it.
//
// An ordinary build has none of it: [Hit] and [Fail] are empty functions that
// the compiler removes. With the build tag "failpoint" they look at the
// environment:
//
//	BETCODE_FAILPOINT="journal/before-commit=kill@3"
//	BETCODE_FAILPOINT="seal/due=error@2,seal/built=kill@1"
//
// Each entry is name=action@n: at the n-th time the place is reached, counted
// from the start of the process, the action is carried out, once. With % in the
// place of @ it is carried out every n-th time.
//
//	kill       the process ends by SIGKILL, with no chance to tidy up
//	panic      a panic, in whatever goroutine came by
//	sleep:DUR  nothing happens for so long
//	error      [Fail] returns an error; [Hit] does nothing
//
// What was carried out, errors apart, is told on standard error in one line that
// begins with [Mark], so that the harness can tell a place that was reached from
// one that was not.
//
// A place whose name ends in "/due" asks whether it is time for work that is
// rare: an error says that it is, however little there is to do. So the harness
// has files sealed every few commits, and needs no options for small sizes.
//
// The names are constants here and not strings at the places, so that [Names]
// is complete and a walk over all of them leaves none out.
package failpoint

import (
	"slices"
	"strings"
)

// Mark begins the line that says that an action was carried out.
const Mark = "failpoint: "

// Variable is the environment variable that arms failpoints.
const Variable = "BETCODE_FAILPOINT"

// The places.
const (
	// In the journal: around a group of the log, what moves the log into the active
	// file, and what makes a new file.
	BeforeCommit    = "journal/before-commit"     // nothing of the group is made
	InCommit        = "journal/in-commit"         // it is made, in memory
	BeforeLogWrite  = "journal/before-log-write"  // the same, as it will be in the log
	AfterLogWrite   = "journal/after-log-write"   // it is in the log, perhaps not on disk
	AfterLogSync    = "journal/after-log-sync"    // it is on disk, and cannot be read yet
	AfterCommit     = "journal/after-commit"      // it can be read, and is not acknowledged
	CheckpointDue   = "checkpoint/due"            // asked at each commit
	CheckpointBegun = "checkpoint/begun"          // nothing has happened
	LogTurned       = "checkpoint/log-turned"     // commits go to the other log
	InCheckpoint    = "checkpoint/in-transaction" // the transaction is filled, not committed
	AfterCheckpoint = "checkpoint/committed"      // it is, the rows are still in memory

	// Where large payloads go out of line before the transaction that refers to them,
	// and where those go that nobody refers to.
	BlobBegun   = "checkpoint/payload-begun"   // nothing of it is there
	BlobWritten = "checkpoint/payload-written" // it is, under another name, perhaps not on disk
	BlobNamed   = "checkpoint/payload-named"   // it is on disk; its name may be
	BlobsKept   = "checkpoint/payloads-kept"   // all are, names too; the transaction has not begun
	Staged      = "journal/staged"             // all of an append's are, and it is not committed
	ReclaimDue  = "reclaim/due"                // asked at each commit
	SweepBegun  = "reclaim/sweep-begun"        // every list was looked at
	SweepMarked = "reclaim/sweep-marked"       // it is known of one directory what may go
	SweepDone   = "reclaim/sweep-done"

	// Where a sealed file is rewritten without its garbage.
	RewriteDue   = "rewrite/due"   // asked for each sealed file when room is given back
	RewriteBegun = "rewrite/begun" // nothing has happened
	RewriteBuilt = "rewrite/built" // the new file is there, MANIFEST does not name it
	DropNamed    = "rewrite/named" // it does, or a file is dropped; the old one is there and in use
	RewriteDone  = "rewrite/done"  // the old one is gone

	// Where the journal of an older build becomes one of this one.
	MigrationBegun = "migration/begun"
	MigrationKept  = "migration/kept"  // what was is kept, beside it
	MigrationLogs  = "migration/logs"  // there are logs, MANIFEST does not name them
	MigrationNamed = "migration/named" // MANIFEST is of this format

	SealDue   = "seal/due"   // asked at each commit
	SealBegun = "seal/begun" // nothing is copied yet
	SealBuilt = "seal/built" // the next file is there, MANIFEST does not name it
	SealNamed = "seal/named" // MANIFEST names it, the old one is still in use

	// Where the copies of MANIFEST are replaced.
	ManifestWritten = "manifest/written" // both are whole, under other names
	ManifestNamed   = "manifest/named"   // the first, or the second too, has its name

	// Where what an agent wrote is archived, and its spool removed.
	ArchiveWritten = "archive/written" // a segment is compressed, perhaps not on disk
	ArchiveSynced  = "archive/synced"  // it is on disk, under another name
	ArchiveNamed   = "archive/named"   // it has its name, which may not be on disk
	ArchiveKept    = "archive/kept"    // it is whole; the spool is as it was
	ArchiveDone    = "archive/done"    // the room of the spool was given back

	// Around the agent's process.
	BeforeSpawn  = "run/before-spawn" // the intent is on disk
	Prepared     = "run/prepared"     // the run directory is there, no process
	AfterSpawn   = "run/after-spawn"  // the process is there, the journal does not know
	BeforeAdopt  = "run/before-adopt" // a process may be there
	AfterAdopt   = "run/after-adopt"  // it was found, or not
	BeforeWrite  = "run/before-write" // a line for the agent is not in the pipe
	AfterWrite   = "run/after-write"  // it is, the journal does not know
	RunStep      = "run/step"         // in the actor
	SpoolRead    = "run/spool-read"   // lines were read, and not sent on
	SessionLoad  = "session/loaded"   // the journal's answer is there, nothing has followed
	SessionStep  = "session/step"     // in the actor, before each message
	JournalStep  = "journal/step"     // in the actor
	ClientStep   = "client/step"      // in the actor
	OutboxPushed = "client/pushed"    // events are on their way to a client
	Recovered    = "sessions/found"   // sessions with work left were found, none is started

	// Around what a proxy sends and is sent.
	ProxyFrames = "proxy/frames" // what it sent is there, nothing of it is appended
	ProxyTaken  = "proxy/taken"  // it is durable, and not acknowledged
	ProxySend   = "proxy/send"   // a message, a decision or an interrupt is noted as sent, and is not
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

// Dues lists the places that ask whether it is time for work that is rare.
func Dues() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return !strings.HasSuffix(name, "/due") })
}

// Actors lists the places inside an actor, where a panic is the actor's own.
func Actors() []string {
	return []string{RunStep, SpoolRead, BeforeWrite, SessionLoad, SessionStep, JournalStep, BeforeCommit, ClientStep}
}
