//go:build !linux

package persistence

import "os"

// syncData forces what was written to a file onto the disk.
func syncData(f *os.File) error { return f.Sync() }
