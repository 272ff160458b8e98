//go:build !linux

package process

import "errors"

// Cgroups is where the control groups of a daemon's agents are: nowhere, on this
// system.
type Cgroups struct{}

// FindCgroups says that there are none.
func FindCgroups(string) (Cgroups, error) {
	return Cgroups{}, errors.New("this system has no control groups")
}

// For is empty.
func (Cgroups) For(string) string { return "" }

// Tidy does nothing.
func (Cgroups) Tidy() {}

// Tidy does nothing.
func Tidy(string) {}

// EnableMemory says that memory cannot be limited.
func (Cgroups) EnableMemory() error { return noCgroups() }

func makeCgroup(string, string, int64) string { return "" }

func memoryExceeded(string) bool { return false }
