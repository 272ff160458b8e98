//go:build !linux && !darwin

package machine

// Memory is how many bytes of memory the computer has, 0 if it cannot be told.
func Memory() uint64 { return 0 }
