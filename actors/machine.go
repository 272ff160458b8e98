package actors

import (
	"net/netip"

	"betcode/actors/internal/machine"
	"betcode/actors/internal/process"
)

// What a daemon asks of its machine before it builds a system.

// BelowAgent reports whether a process is an agent or descends from one: it may look
// at sessions and not act on them. An error means that it could not be told.
func BelowAgent(pid int) (bool, error) { return process.BelowAgent(pid) }

// ConnectedBelowAgent is [BelowAgent] for the process at the other end of a TCP
// connection, by the addresses of its two ends.
func ConnectedBelowAgent(caller, ours netip.AddrPort) (bool, error) {
	return process.ConnectedBelowAgent(caller, ours)
}

// CheckRunsDirectory refuses a directory in which agents cannot be kept: one on
// a network filesystem, which does not keep pipes, locks and change notices.
func CheckRunsDirectory(dir string) error { return process.CheckDirectory(dir) }

// AvailableMemory is how many bytes of memory agents can use, 0 if that is not known: see [Options].
func AvailableMemory() int64 { return machine.Available() }
