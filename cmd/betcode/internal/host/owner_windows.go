package host

import "io/fs"

// ownerOf knows no owner: on Windows directories inherit their access rights from those of the user.
func ownerOf(fs.FileInfo) (uid int, ok bool) { return 0, false }
