// Package audit is the audit log: decisions, connections, and refusals, with their callers.
//
// # Who owns what
//
// [Log] owns a directory (0700) of files (0600) with one JSON object a line, each named
// after the number of its first entry. Files are only appended to; a full one is left
// and the next begun; one whose last entry has expired is removed whole, and so are the
// oldest when there are too many bytes. Anybody may read them with tools of their own.
//
// # What is promised
//
//   - [Open] fails unless an entry could be written and synced: a daemon does not start
//     without its audit log.
//   - An entry is with the operating system when [Log.Record] returns, so it survives
//     the daemon; it is synced within a second, so a power failure costs that much. The
//     journal has every decision durably, before its entry here is made.
//   - Numbers rise by one, over all files and daemons. A gap, or an audit_lost entry,
//     means that something could not be written.
//   - Secrets are masked before anything is written (package masking); inputs leave a hash and a
//     masked beginning.
//
// # On a crash
//
// A torn last line is left where it is, and what follows begins on a line of its own;
// readers skip it.
package audit
