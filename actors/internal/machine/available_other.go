//go:build !linux

package machine

// Available returns 0: the available memory is not known on this system.
func Available() int64 { return 0 }
