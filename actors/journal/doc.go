// Package journal is the actor that alone writes the journal's files, and the actor that makes scheduled backups of them.
//
// # What is promised in which order
//
// The journal answers an append or a load when everything before it is durable. Requests of one session are carried out in
// their order. Requests that arrive while one transaction is written share the next. The large parts of an append are written
// beside the transactions, so that one session with a megabyte does not delay the others.
//
// # When the disk fails
//
// The actor refuses all appends, waiting ones first: nothing is buffered. Sessions go on and publish volatile events, which
// have no numbers. The actor retries to open the journal, with backoff, until that succeeds; on [Recovered] the sessions load
// themselves again.
//
// # Who owns what
//
// The actor owns the right to write to the [Store]. Any goroutine may read. The actor has four workers, so that commits wait
// neither for large parts, nor for checkpoints, nor for garbage to be removed.
//
// # On a crash
//
// Everything that was answered is durable. Appends that were waiting are lost: [Restarted] is sent to the sessions, and each
// that waits for an answer rebuilds itself. The backups actor reads the time of the newest backup from the disk.
package journal
