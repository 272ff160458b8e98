// Package retention limits the history of each session, and the archives of agents' output.
//
// The retention actor checks all sessions once an hour, and sends [messages.TrimHistory] to those with more history than the
// settings allow. [Archiver] compresses the spools of agents and removes the oldest archives. The journal itself limits its
// size as a whole.
//
// # Who owns what
//
// The actor reads the store and deletes nothing: the session moves its low-water mark, and the journal deletes the bytes with
// their file. The archiver owns no actor; it works on a background worker of the system.
//
// # On a crash
//
// Nothing survives: the next incarnation searches again.
package retention
