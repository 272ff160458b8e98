// Package wal is the log in front of the journal file: two files that are appended to
// in turn, made of groups. A group is what one commit made durable. The package knows
// neither sessions nor records: the rows of a group are bytes to it, and its caller
// tells it how rows are checked ([RowCheck]).
//
// # Writing
//
// [Log.Append] writes one group with one write and one sync. Groups have consecutive
// numbers. [Log.Turn] continues at the beginning of the other file, when a checkpoint
// has moved what that file held. Files are overwritten in place, since the disk has
// less to do where the blocks belong to the file already; so behind the groups of a
// file there are older ones, with smaller numbers.
//
// # Reading
//
// [Walk] reads one file and [Following] puts the groups of both in order. Anything
// behind the newest group was never acknowledged: it is the rest of a crash, or an
// older group. A group that cannot be read in front of a newer one is damage:
//
//   - One flipped bit is corrected. A checksum tells which bit it was.
//   - A head that is lost is made again if the checksum of the head proves the result.
//   - Lost rows under a sound head: the head names the sessions, and the caller marks
//     them as damaged.
//   - A lost head otherwise: the group is [Missing]. The caller refuses the journal.
//
// # Promises
//
// When Append returns nil the group is on disk. After an error other than
// [UnsyncedError] the log is as it was; after that one the content of the disk is unknown, and
// the caller must not append any more.
package wal
