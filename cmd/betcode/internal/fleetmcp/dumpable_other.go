//go:build !linux

package fleetmcp

// Seclude keeps other processes of the user from reading this one's memory. This system cannot.
func Seclude() error { return nil }
