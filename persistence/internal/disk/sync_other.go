//go:build !linux

package disk

import "os"

// SyncData forces what was written to a file onto the disk.
func SyncData(f *os.File) error { return f.Sync() }
