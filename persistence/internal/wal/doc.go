// Package wal implements the log in front of the journal file: two files that groups are appended to
// in turn. A group is the result of one commit. The package knows
// neither sessions nor records: the rows of a group are bytes to it, and its caller
// passes the function that checks rows ([RowCheck]).
//
// # Writing
//
// [Log.Append] writes one group with one write and one sync. Groups have consecutive
// numbers. [Log.Turn] continues at the beginning of the other file, when a checkpoint
// has moved the rows of that file. Files are overwritten in place, since writing to blocks that
// already belong to the file is cheaper; so behind the groups of a
// file there are older ones, with smaller numbers.
//
// # Reading
//
// [Walk] reads one file and [Following] puts the groups of both in order. Anything
// behind the newest group was never acknowledged: it is the leftover of a crash, or an
// older group. A group that cannot be read in front of a newer one is damage:
//
//   - One flipped bit is corrected. A checksum identifies the bit.
//   - A lost head is reconstructed if the checksum of the head proves the result.
//   - Lost rows under a sound head: the head names the sessions, and the caller marks
//     them as damaged.
//   - Another lost head: the group is [Missing]. The caller refuses the journal.
//
// # Promises
//
// When Append returns nil the group is durable. After an error other than
// [UnsyncedError] the log is unchanged; after that one the content of the disk is unknown, and
// the caller must not append any more.
package wal
