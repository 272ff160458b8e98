// Package disk holds the file operations that durability rests on: write and sync,
// rename and sync the directory, copy, link, map, and write without delaying others.
//
// # Promises
//
//   - [Replace] and [RenameSynced]: after a crash at any moment a name has the old
//     content or the new one, never a part of it. When they fail after the rename
//     nobody knows which; they say so.
//   - A file that is being written ends in [Unfinished]. The next process that opens the directory
//     next removes it.
//   - [CreateThrottled] leaves the disk time between pieces, so that a sync of a commit
//     waits for little.
//
// [Steps] is a hook for tests: it is called between the operations of what must be
// atomic, with the disk as a crash at that moment would leave it.
package disk
