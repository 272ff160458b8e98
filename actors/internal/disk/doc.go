// Package disk measures free space and keeps a reserve of it.
//
// [Look] asks the filesystem, in a system call that does not wait for a disk. A
// [Reserve] is a file that is written while there is plenty of space. Releasing it
// frees that space at once, for writes that must succeed although the disk
// is full. The package decides nothing, and has no goroutine.
package disk
