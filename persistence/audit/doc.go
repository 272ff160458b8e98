// Package audit is the audit log: decisions, connections, and refusals, with their callers.
//
// # Who owns what
//
// [Log] owns a directory (0700) of files (0600) with one JSON object a line, each named
// after the number of its first entry. Files are only appended to. When a file is full the next
// is begun. A file whose last entry has expired is removed whole, and so are the
// oldest when there are too many bytes. Other programs may read them.
//
// # What is promised
//
//   - [Open] fails unless an entry could be written and synced: a daemon does not start
//     without its audit log.
//   - The operating system has an entry when [Log.Record] returns, so it survives
//     the daemon. It is synced within a second, so a power failure loses at most that. The
//     journal has every decision durably, before its entry here is made.
//   - Numbers rise by one, over all files and daemons. A gap, or an audit_lost entry,
//     means that an entry could not be written.
//   - Secrets are masked before anything is written (package masking). Of an input only a hash and a
//     masked beginning are written.
//
// # On a crash
//
// A torn last line stays where it is, and the next entry begins on a line of its own;
// readers skip the torn line.
package audit
