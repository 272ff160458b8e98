package fence

import "io/fs"

// owned reports false: nothing is fenced on this system.
func owned(fs.FileInfo) bool { return false }
