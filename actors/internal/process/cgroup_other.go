//go:build !linux

package process

import "errors"

// Cgroups is the parent of the control groups of a daemon's agents: there is none on this
// system.
type Cgroups struct{}

// FindCgroups always returns an error.
func FindCgroups(string) (Cgroups, error) {
	return Cgroups{}, errors.New("this system has no control groups")
}

// For is empty.
func (Cgroups) For(string) string { return "" }

// RemoveEmpty does nothing.
func (Cgroups) RemoveEmpty() {}

// RemoveCgroup does nothing.
func RemoveCgroup(string) {}

// EnableMemory always returns the error that memory cannot be limited.
func (Cgroups) EnableMemory() error { return noCgroups() }

func makeCgroup(string, string, int64) string { return "" }

func memoryExceeded(string) bool { return false }
