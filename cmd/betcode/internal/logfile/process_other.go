//go:build !linux

package logfile

// OfProcess returns an empty path: this system does not show the files of a process.
func OfProcess(int) string { return "" }
