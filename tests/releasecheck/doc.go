// Releasecheck builds the release of this commit twice, in two fresh clones at different places, and judges both: `make
// release-check`. It ends with
//
//	release: archives=4 bytes=N same=true problems=0
//
// [judge] looks into each archive: what is in it, static binaries for the right system, times and owners that do not depend on
// who built it, a bill of materials, checksums. The binary of this machine's system is run.
//
// Changes that are not committed are not part of it. With -cold the second build has an empty build cache, so that nothing of the
// first can be in it; that takes long.
package main
