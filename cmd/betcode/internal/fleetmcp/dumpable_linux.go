package fleetmcp

import "golang.org/x/sys/unix"

// Seclude keeps other processes of the user from reading this one's memory, environment and descriptors, and from tracing it.
func Seclude() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
