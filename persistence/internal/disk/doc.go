// Package disk implements the file operations that durability depends on: write and sync,
// rename and sync the directory, copy, link, map, and write without delaying others.
//
// # Promises
//
//   - [Replace] and [RenameSynced]: after a crash at any time a name has the old
//     content or the new one, never a part of it. When they fail after the rename,
//     it is unknown which; they report that.
//   - The name of a file that is being written ends in [Unfinished]. The next process that opens
//     the directory removes it.
//   - [CreateThrottled] leaves the disk time between pieces, so that a sync of a commit
//     does not wait long.
//
// [Steps] is a hook for tests: it is called between the operations of an atomic change,
// with the disk as a crash at that point would leave it.
package disk
