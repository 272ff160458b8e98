// Package retention limits what is kept of the past: the history of each session, and the archives of what agents wrote.
//
// The retention actor looks at all sessions once an hour, and sends [messages.TrimHistory] to those with more history than the
// settings allow. [Archiver] compresses the spools of agents and removes the oldest archives. The size of the journal as a
// whole is the journal's own business.
//
// # Who owns what
//
// The actor reads the store and deletes nothing: the session moves its low-water mark, and the journal deletes the bytes with
// their file. The archiver owns no actor; it works on a background worker of the system.
//
// # On a crash
//
// Nothing survives, and nothing needs to: the next incarnation looks again.
package retention
