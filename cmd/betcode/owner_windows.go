package main

import "io/fs"

// ownerOf is not said by a number here: directories inherit who may enter them from the
// user's own.
func ownerOf(fs.FileInfo) (uid int, ok bool) { return 0, false }
