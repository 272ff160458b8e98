//go:build !linux && !darwin

package launch

// BootID is not known on this system.
func BootID() string { return "" }

// StartTime is not known on this system.
func StartTime(int) uint64 { return 0 }
