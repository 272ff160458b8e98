// Package persistence keeps the journal: what agents said, as the bytes that
// are sent, and what sessions are rebuilt from. It is files and nothing else:
// no actor, no goroutine, no log. The journal actor calls it.
//
// # Who owns what
//
// One [Store] owns a directory, and while it is open nobody else has it. A
// session owns its numbers; the store only compares ([Store.Commit] is
// compare-and-append, see [messages.Append]). Values handed to Commit are the
// store's; what is returned is the caller's, and never part of the mapped file.
// The one field the store decides is SessionRecord.Head: it is ignored in an
// append and filled in whenever a record is read.
//
// # What is promised
//
//   - When Commit returns nil for an append, it is on disk, whole, and every
//     read that begins then sees it. An append that was refused changed nothing.
//   - Events come back in order, without a hole, as the bytes they were, from
//     whichever file they are in. A hole is [messages.DataLoss], never silence.
//   - A crash at any moment, in a commit, in a checkpoint, while a journal is made
//     or while a file is sealed, leaves a directory that opens with all that was
//     committed.
//   - When a sync fails nobody knows what is on disk. Then nothing more is
//     written, and no projection is read, until the journal is opened again
//     ([Store.Reopen]);
//     events that were visible before stay so.
//   - Damage is an error, not a crash: a panic of bbolt and a fault of the mapped
//     file become DataLoss, and a record with a flipped bit is named. Sessions
//     that do not share the damaged page, or the damaged group of a log, go on.
//
// # The directory
//
//	LOCK             held while the journal is open. bbolt locks files too, but
//	                 which one is active can be read only under a lock
//	MANIFEST         JSON: format, lineage, the files in order, and a checksum
//	MANIFEST-2       the same again
//	1.log, 2.log     what was committed and is not in the active file yet
//	000001.journal   a bbolt file that is sealed: only read
//	000002.journal   the active one
//	000001-1.journal the first, rewritten once; instead of it
//	blobs/ab/ab…     what is too large for a page, named by its SHA-256
//	before-migration the journal as an older build left it, for 30 days
//	*.new            being written; removed by [Open], or by [Store.Sweep]
//
// A journal file below the oldest that MANIFEST names was dropped, and is removed
// by [Open] too.
//
// What must be atomic is one rename of MANIFEST: write, sync, rename, sync the
// directory. Its two copies have a generation and a checksum; the newest valid one
// counts, and the other is written again (manifestCopies). [Store.Seal] builds the next file with all live state in it,
// everything but events and what the logs alone have, and only then names it in
// MANIFEST. Files are rotated,
// and not emptied, because a bbolt file never gets smaller and deleted keys slow
// every commit (by a factor of three and more after deleting two thirds of a
// gibibyte). So one file holds all that the daemon needs, and old ones can be
// dropped, moved or rewritten without being asked.
//
// # The logs
//
// A commit appends one group to a log, one write and one sync, and puts its rows
// into a table in memory; reads see the table over the file (view). A group has a
// number, one more than that of the group before, and checksums; the file says
// up to which number it has them (Checkpoint).
//
// [Store.Checkpoint] moves a log into the active file in one transaction: the
// newest of each row, the events of each session together, so that a row that
// came and went is never in the file, and a page is written once for many
// events. Meanwhile commits go to the other log, over a table of its own. Who
// calls it is the caller's business ([Store.CheckpointDue]); where nobody does, the
// commit that finds the log twice as long as it should be does it itself. So
// what is in the logs, and in memory, is bounded, and where nothing can be moved
// appends are refused; then a checkpoint is tried after a second, two, at most a
// minute.
//
// A log is begun anew in place: behind its groups there are older ones, with
// smaller numbers. [Open] takes the groups from the file's number on, without a gap.
// What cannot be read behind the newest was never promised to anybody. What
// cannot be read before it is damage: of the sessions that the head of the group
// names, whose cursors then say so for ever, or, if the head is damaged too, of
// the journal, which is not opened. After that all is moved into the file, and
// the first commit finds two logs that nobody needs. So no group is ever written
// behind one of which it is not known that it is on disk.
//
// # A file
//
//	meta         "file"              → File: format, lineage, number
//	             "checkpoint"        → Checkpoint: the newest group that is in it
//	ids          session id          → Identity: the session's number, or a tombstone
//	sessions     number, 0           → Session
//	             number, 1           → Cursor: head, and how far the spool was read
//	runs         number, run         → Run
//	inputs       number, key         → Input: what changes of it
//	bodies       number, key         → Body: text and attachments, written once
//	permissions  number, request id  → Permission
//	keys         number, key         → Key: the head that an idempotency key left
//	events       number, last event  → Chunk: events that follow each other
//	payloads     SHA-256, row        → Payload: of what is out of line; since format 3
//
// A session gets a number with its first append, and no other ever has it. All
// integers in keys are big-endian. The Cursor is apart from Session and Run
// because it moves with each batch, and beside Session because that does too:
// they share a page. Session ids are not keys of anything else, so a damaged
// record does not hide the rest of its session.
//
// A Chunk is the wire form of "repeated bytes events = 1", under the number of
// its last event: seeking n+1 lands on the chunk that holds it. It carries a link
// of the session's hash chain (link), the newest of which is in the Cursor. The
// chain is one of events, so that chunks can be joined. Every value ends
// in field 15, a CRC-32C of key and value, since bbolt has checksums for its two
// head pages only. Records carry a version; fields that this build does not
// know survive being rewritten, except inside nested messages, in the Cursor
// (a position is replaced whole) and in MANIFEST (which therefore needs a new
// format for each new field).
//
// # Out of line
//
// A Chunk or a Body of more than 64 KiB is in the log as any other row. When the
// log is moved it becomes a file of its own, named by the hash of what the value
// would be without its checksum, and the value an OutOfLine that names it. An
// append that would be noticed by others is staged before: [Store.Stage] writes
// these files, beside the commits and a piece at a time, and the log has the
// OutOfLine from the beginning; it is kept by the table of the log's rows (outside)
// until a file's list has it. The
// order is: written, synced, renamed, directory synced, and only then the
// transaction that refers to it and notes it in payloads. So a file that refers to
// it never lacks it, and what a crash leaves is a payload nobody refers to. It is
// checked against its name whenever it is read; one that is damaged or gone is
// DataLoss, as a damaged page is.
//
// [Store.Sweep] removes what no file's list has, but nothing that is about to be
// on one (pins), and nothing under who reads: what was dropped with its file goes
// that way too, and the body of an input that was settled. A list that is
// not whole ends the sweep.
//
// # Deleting
//
// An append with Delete removes all live state at once and leaves a tombstone,
// so that a stale actor cannot bring the session back. Its events are not found
// any more; the bytes go when their file is rewritten, or dropped.
//
// # Rewriting
//
// [Store.Reclaim] writes a sealed file anew when more than half of the bytes of
// its events are garbage: of deleted sessions, or below the marks of others. The
// new file has what is left of the histories and says in each Cursor from where on
// (dropped, with the chain there, so that [Store.Verify] can follow it); what
// sessions lived on when the file was sealed is left out. It is made beside the old
// one, at a rate that nobody notices, a little at a time; then MANIFEST names it
// instead, and that is all that commits and reads wait for. The old file is removed,
// and what it referred to out of line is swept. How much is garbage is estimated
// from the Cursors of a file, without reading the events: they count the bytes.
//
// # Looking after it
//
// [Store.Verify] checks the pages of each file by itself (pageCheck: bbolt's own
// check can kill the process), then every checksum and record, that no number is
// missing, and every chain. [Store.Backup] copies one moment: sealed files while
// the journal is used, the active one while commits wait, after sealing it if it
// has grown by more than 64 MiB. No read transaction outlives a commit for it.
// [Restore] makes a journal of a backup, with a lineage of its own, and takes
// their processes from its runs. [Store.Retain] drops sealed files, the oldest
// first; how far a session's history is gone with them is not recorded, the oldest
// file that is left says after which event it begins. What a session gives up by
// itself is a mark in its record, which holds at once; the bytes go when the file is
// rewritten, or dropped.
// [Store.LowWater] is the higher of the two.
//
// # Figures
//
// BenchmarkCommit (events of 300 B; in each append a cursor of 100 B and a record
// of 230 B; 500 sessions asleep), bytes that the store wrote per byte of event:
//
//	                             log    with checkpoints of 16 MiB
//	1 session × 1 event          2.6
//	1 session × 5 events         1.3
//	1 session × 100 events       1.0    1.8
//	4 sessions × 1 event         2.5
//	20 sessions × 5 events       1.3    1.9
//
// The kernel counts pages: a commit that is smaller than one counts as one, or as
// two where it goes beyond it. When each commit was a transaction of bbolt these
// were 108, 23, 2.5, 58 and 10, counted in pages.
//
// One commit of one event takes one sync and 0.14 ms where nothing else asks the
// disk; a transaction of bbolt takes two. What a checkpoint writes per byte is
// decided by how many events of a session it finds together. 10 000 sessions open
// in 50 ms, and are listed in 0.3 ms, 1 ms after a change; a session is loaded in
// 10 µs. A seal reads the sessions of the new file as an opening does.
package persistence
