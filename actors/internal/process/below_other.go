//go:build !linux

package process

// BelowAgent always returns false: this system does not report the processes of
// callers either.
func BelowAgent(int) (bool, error) { return false, nil }
