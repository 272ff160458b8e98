//go:build !linux && !darwin

package machine

// Memory returns 0: the size of the memory is not known on this system.
func Memory() uint64 { return 0 }
