// Package messages is the vocabulary of betcode: what actors say to each other,
// what the journal keeps, and how errors are named.
//
// Everything here is plain data. Nothing imports another package of ours, nor
// the actor library, nor protobuf: an event travels as the bytes that will be
// sent ([Event]), and an address travels as the sender of a message, never
// inside it.
//
// # How to read a message
//
// Commands are imperative ([SendInput]), events are in the past tense
// ([RunEnded]), queries end in a noun ([GetSession] is answered with a
// [SessionView]). Each type names its sender, and what answers it.
// Whatever comes from a child process carries its run number, so that a late
// word of a dead run is recognised and ignored.
//
// # Who owns what
//
// A session owns its sequence numbers: dense, from 1, per session. Sequence 0
// means "not journaled" and is never a cursor. A value handed over in a message
// belongs to the receiver: slices and maps in it are not changed by the sender
// afterwards.
//
// # On a crash
//
// Messages are not durable. What must survive is in one of the records
// ([SessionRecord], [RunRecord], [Cursor], [InputRecord], [PermissionRecord])
// and reaches the journal through an [Append] before it is published.
package messages
