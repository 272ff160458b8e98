// Package spool reads what agents write into their spool files while they write
// it, and says when there is more.
//
// A spool is a file of lines that its agent appends to and nobody else changes.
// A [Reader] turns it into batches of complete lines with their offsets; a
// [Watcher] tells when a spool has grown, for all of them at once. Neither knows
// the other, nor what a line means, nor holds anything that must survive: the
// offset of the next line, which the caller commits together with what became of
// the lines, is all that a new Reader needs. So each complete line is delivered
// once between two commits, whichever process is killed at whatever time.
//
// # Offsets
//
// Offsets are bytes from the beginning of the file. A committed offset is the
// start of a line: right behind a newline, or 0. What stands there is checked
// when a Reader is opened, and a file that shrank or was replaced is an error of
// kind DataLoss, never a silent jump.
//
// # Lines
//
// A line comes without its newline and otherwise as it was written, a trailing
// carriage return included. A line longer than Options.MaxLine is not held in
// memory: it comes as a [Line] that is Cut, has no bytes and knows its size. The
// last bytes of a run that ended without a newline come from [Reader.Tail].
//
// # The archive
//
// What has become events is not read again, and is kept as it was: [Seal] and
// [Finish] compress a spool into segments beside it and give its room back,
// [Raw] tells all of it, [Sweep] drops what is old. Offsets stay what they were.
// A Reader must not be opened at an offset that has been sealed.
//
// # Notices
//
// A notice says "look again", no more: several writes may make one, and one may
// come without a write. Each Add gives one, so that nothing written before is
// missed. A notice must not block: it sends a message and returns.
//
// On Linux one inotify instance serves all spools and nothing is polled. A spool
// that inotify has no room for, and every spool on other systems, is looked at
// every 50 ms as long as it is watched.
package spool
