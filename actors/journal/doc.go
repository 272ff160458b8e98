// Package journal is the actor that alone writes the journal's files, and the actor that copies them from time to time.
//
// # What is promised in which order
//
// The journal answers an append or a load when everything before it is on disk. Requests of one session are carried out in
// their order. Requests that arrive while one transaction is written share the next. The large parts of an append are written
// beside the transactions, so that one session with a megabyte does not delay the others.
//
// # When the disk fails
//
// The actor refuses all appends, waiting ones first: nothing is kept in memory. Sessions go on and publish volatile events,
// which have no numbers. The actor retries to open the journal, with backoff, until that succeeds; on [Recovered] the sessions
// load themselves again.
//
// # Who owns what
//
// The actor owns the right to write to the [Store]. Reading is open to all. It has four workers, so that commits wait neither
// for large parts, nor for the log to be moved, nor for garbage to be removed.
//
// # On a crash
//
// Everything that was answered is on disk. Appends that were waiting are lost: [Restarted] is sent to the sessions, and each
// that waits for an answer rebuilds itself. The backups actor reads the time of the newest backup from the disk.
package journal
