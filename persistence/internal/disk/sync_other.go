//go:build !linux

package disk

import "os"

// SyncData forces the written bytes of a file onto the disk.
func SyncData(f *os.File) error { return f.Sync() }
