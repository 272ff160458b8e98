//go:build !linux

package launch

// FenceVersion returns zero: there are no fences on this system.
func FenceVersion() int { return 0 }
