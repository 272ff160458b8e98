// Package persistence stores the journal: the events of sessions, as the bytes that are
// sent to clients, and the state that sessions are rebuilt from. It consists of files
// only: no actor, no goroutine, no log output. The journal actor calls it.
//
// # Who owns what
//
// One [Store] owns a directory; while it is open no other process has it. A session
// owns its sequence numbers; the store only compares ([Store.Commit] is
// compare-and-append, see [messages.Append]). Values that are passed to Commit belong to
// the store; values that are returned belong to the caller and are never part of the
// mapped file. The store decides one field, SessionRecord.Head: it is ignored in an
// append and filled in when a record is read.
//
// # What is promised
//
//   - When Commit returns nil for an append, the append is durable, complete, and visible to
//     every read that begins then. A refused append changes nothing.
//   - Events come back in order, without a gap, as the bytes they were, from whichever
//     file they are in. A gap is [messages.DataLoss].
//   - After a crash at any time the directory opens with everything that was committed:
//     in a commit, in a checkpoint, while a journal is created or a file is sealed.
//   - After a failed sync the content of the disk is unknown. From then on nothing is written
//     and no state is read until the journal is opened again ([Store.Reopen]); events
//     that were visible before stay visible.
//   - Damage is an error, not a crash. A panic of bbolt and a fault of the mapped file
//     become DataLoss, and the error names the record. Sessions that do not share the
//     damaged page, or the damaged group of a log, are not affected.
//
// # The packages
//
//	persistence         Store: commit, admission, loading, index, checkpoint, seal, retention
//	internal/wal        the log: groups, in two files in turn; knows no records
//	internal/memtable   rows that are in the logs and not in the file; views of both
//	internal/boltfile   one journal file; the only importer of bbolt
//	internal/blob       payloads: values above 64 KiB as files
//	internal/record     the form of keys, values, chunks and rows; pure
//	internal/manifest   the list of the journal's files
//	internal/recovery   reading the logs when a journal is opened
//	internal/upkeep     verify, adopt, rebuild: work on files that do not change
//	internal/disk       write, sync, rename, copy
//	internal/fault      errors and hints
//	planlog             journals of orchestrations, which are verified and backed up with it
//	audit, tokens       files of their own, beside the journal
//
// Verify, Backup, Restore, Repair and Stats begin here, because only the Store knows
// when a file does not change; their work on files is in upkeep.
//
// # A commit
//
// Commit takes a group of appends. Each append is admitted (admit), its rows are encoded
// (encoder, the only code that turns an append into rows) and added to the group. The log
// appends the group with one write and one sync. Then the rows are published in memory,
// and the index of sessions is changed.
//
// # The directory
//
//	LOCK             held while the journal is open. bbolt locks files too, but
//	                 which file is active can be read only under a lock
//	MANIFEST         JSON: format, lineage, the files in order, and a checksum
//	MANIFEST-2       a second copy
//	1.log, 2.log     committed groups that are not in the active file yet
//	000001.journal   a sealed bbolt file: only read
//	000002.journal   the active file
//	000001-1.journal the first file, rewritten once; it replaces the original
//	blobs/ab/ab…     payloads, named by their SHA-256
//	before-migration the journal as an older build left it, kept for 30 days
//	*.new            being written; removed by [Open], or by [Store.Sweep]
//
// A journal file with a number below the oldest that MANIFEST names was dropped;
// [Open] removes it.
//
// Every atomic change of files is one replacement of MANIFEST (package manifest).
// [Store.Seal] builds the next file with all live state, which is everything except events
// in the old file, and then names it in MANIFEST. Files are rotated, not emptied: a
// bbolt file never gets smaller, and deleted keys slow every commit (by a factor of
// three and more after deleting two thirds of a gibibyte). So one file has everything
// that the daemon needs, and older files can be dropped, moved or rewritten.
//
// # Checkpoints
//
// [Store.Checkpoint] moves a log into the active file in one transaction: the newest version of
// each row, and the events of each session together. A row that was added and deleted in between
// never reaches the file, and a page is written once for many events. Meanwhile commits go to the
// other log, over a table of its own. The caller decides when ([Store.CheckpointDue]). If no
// caller does, the commit that finds the log twice as long as intended runs the checkpoint. So
// the logs, and memory, are bounded. If rows cannot be moved, appends are refused and
// a checkpoint is retried with backoff, after one second up to a minute.
//
// [Open] moves all rows of the logs into the file. So a group is never written
// behind one of which it is unknown whether it is durable.
//
// # A file
//
//	meta         "file"              → File: format, lineage, number
//	             "checkpoint"        → Checkpoint: the newest group in the file
//	ids          session id          → Identity: the session's number, or a tombstone
//	sessions     number, 0           → Session
//	             number, 1           → Cursor: head, and the consumed offset of the spool
//	runs         number, run         → Run
//	inputs       number, key         → Input: the parts that change
//	bodies       number, key         → Body: text and attachments, written once
//	permissions  number, request id  → Permission
//	keys         number, key         → Key: the head after the append with an idempotency key
//	events       number, last event  → Chunk: consecutive events
//	payloads     SHA-256, row        → Payload: a reference to a file; since format 3
//
// A session gets a number with its first append; no other session ever has it. All
// integers in keys are big-endian. The Cursor is separate from Session and Run because it
// changes with each batch, and beside Session because that does too: they share a page.
// Session ids are not keys of anything else, so a damaged record does not hide the rest
// of its session.
//
// # Deleting
//
// An append with Delete removes all live state at once and leaves a tombstone, so a
// stale actor cannot bring the session back. Its events are not found any more; their
// bytes are removed when their file is rewritten or dropped.
//
// # Large values
//
// [Store.Stage] writes the large values of an append before it is committed, beside
// other commits; the log then has the references from the beginning. Values that
// were not staged are in the log like any other row, and the checkpoint writes them as
// payloads. [Store.Sweep] removes payloads that no file lists.
//
// # Rewriting and retention
//
// [Store.Reclaim] rewrites a sealed file when more than half of the bytes of its events
// are garbage: of deleted sessions, or below the watermarks of others. The new file has the
// rest of the histories, and each Cursor has where that begins (dropped, with the chain
// there, so that [Store.Verify] can follow it). It is made beside the old file at a
// limited rate; then MANIFEST names it instead. The amount of garbage is estimated from
// the Cursors of a file, which count the bytes.
//
// [Store.Retain] drops sealed files, the oldest first. The loss is not recorded: the
// oldest remaining file has the events after which its histories begin. A watermark that a
// session sets in its record is effective at once. [Store.LowWater] is the higher of the two.
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
// The kernel counts pages: a commit that is smaller than a page counts as one, or as
// two if it crosses a page border. When each commit was a transaction of bbolt these
// were 108, 23, 2.5, 58 and 10, counted in pages.
//
// One commit of one event takes one sync and 0.14 ms on an idle disk; a transaction of
// bbolt takes two syncs. The bytes that a checkpoint writes per byte of event depend on how many
// events of a session it finds together. 10 000 sessions open in 50 ms, and are listed in 0.3 ms,
// 1 ms after a change; a session is loaded in 10 µs. A seal reads the sessions of the
// new file as an opening does.
package persistence
