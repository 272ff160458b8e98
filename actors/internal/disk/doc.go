// Package disk tells how much room there is and keeps a little of it back.
//
// [Look] asks the filesystem, in a system call that does not wait for a disk. A
// [Reserve] is a file whose blocks are taken while there is plenty: to give it up
// is to have that much room at once, for what must be written although the disk
// is full. Nothing here decides anything, and nothing runs by itself.
package disk
