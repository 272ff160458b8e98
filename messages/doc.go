// Package messages defines the messages that actors exchange, the records that the
// journal stores, and the error type of betcode.
//
// Everything here is plain data. The package imports nothing of ours outside its own
// tree, nor the actor library, nor protobuf. An event travels as the bytes that will be
// sent ([Event]). An address travels as the sender of a message, never inside it.
//
// # How to read a message
//
// Commands are imperative ([SendInput]), events are in the past tense ([RunEnded]),
// queries end in a noun ([GetSession] is answered with a [SessionView]). The comment of a
// type names its sender and its answer. A message about a child process carries its run
// number, so that its receiver ignores a late message of an ended run.
//
// # Who owns what
//
// A session owns its sequence numbers: dense, from 1, per session. Sequence 0 means "not
// journaled" and is never a cursor. A value in a message belongs to the receiver: the
// sender no longer changes its slices and maps.
//
// # On a crash
//
// Messages are not durable. State that must survive is in one of the records
// ([SessionRecord], [RunRecord], [Cursor], [InputRecord], [PermissionRecord]) and reaches
// the journal through an [Append] before it is published.
package messages
