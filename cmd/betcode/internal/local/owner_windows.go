package local

import "io/fs"

// Owner knows no owner: on Windows directories inherit their access rights from those of the user.
func Owner(fs.FileInfo) (uid int, ok bool) { return 0, false }
