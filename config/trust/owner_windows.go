package trust

import (
	"io/fs"
	"os"
)

// owned does not look at owners: the security descriptors of Windows are not read.
func owned(fs.FileInfo) error { return nil }

func openNonblocking(path string) (*os.File, error) { return os.Open(path) }

func notDirectory(error) bool { return false }
