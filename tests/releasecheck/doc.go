// Releasecheck builds the release of this commit twice, in two fresh clones in different directories, and checks both: `make
// release-check`. It ends with
//
//	release: archives=4 bytes=N same=true problems=0
//
// [judge] checks each archive: its files, static binaries for the right system, times and owners that do not depend on the
// builder, a bill of materials, checksums. It runs the binary of this machine's system.
//
// Uncommitted changes are not part of it. With -cold the second build has an empty build cache and shares nothing with the first;
// that takes long.
package main
