// Package spool reads spool files while agents write them, and reports when they have
// grown.
//
// A spool is a file of lines that its agent appends to and no other process changes.
// A [Reader] turns it into batches of complete lines with their offsets; a
// [Watcher] reports when a spool has grown, for all of them at once. Neither knows
// the other, nor what a line means, nor has state that must survive: a new Reader needs
// only the offset of the next line, which the caller commits together with the results of
// the lines. So each complete line is delivered once between two commits, whichever process
// is killed, at any time.
//
// # Offsets
//
// Offsets are bytes from the beginning of the file. A committed offset is the
// start of a line: right behind a newline, or 0. That is checked when a Reader is opened,
// and a file that shrank or was replaced is an error of
// kind DataLoss, never a silent jump.
//
// # Lines
//
// A line comes without its newline and otherwise as it was written, a trailing
// carriage return included. A line longer than Options.MaxLine is not kept in
// memory: it comes as a [Line] that is Cut, has no bytes and has its size. The
// last bytes of a run that ended without a newline come from [Reader.Tail].
//
// # The archive
//
// Lines that have become events are not read again, and are kept as they were: [Seal] and
// [Finish] compress a spool into segments beside it and free its space,
// [Raw] returns all of it, [Sweep] removes old archives. Offsets do not change.
// A Reader must not be opened at an offset that has been sealed.
//
// # Notices
//
// A notice means only that the file may have changed: several writes may cause one, and one may
// come without a write. Each Add causes one, so that nothing written before is
// missed. A notice must not block: it sends a message and returns.
//
// On Linux one inotify instance serves all spools and nothing is polled. A spool
// for which inotify has no room, and every spool on other systems, is polled
// every 50 ms as long as it is watched.
package spool
