package actors

import (
	"net/netip"

	"betcode/actors/internal/machine"
	"betcode/actors/internal/process"
)

// What a daemon needs to know about its machine before it builds a system.

// BelowAgent reports whether a process is an agent or descends from one, so that it may view
// sessions and not change them. It returns an error if it cannot find out.
func BelowAgent(pid int) (bool, error) { return process.BelowAgent(pid) }

// ConnectedBelowAgent is [BelowAgent] for the process at the other end of a TCP
// connection, by the addresses of its two ends.
func ConnectedBelowAgent(caller, ours netip.AddrPort) (bool, error) {
	return process.ConnectedBelowAgent(caller, ours)
}

// CheckRunsDirectory refuses a directory on a network filesystem, where pipes, locks and
// change notifications do not work reliably.
func CheckRunsDirectory(dir string) error { return process.CheckDirectory(dir) }

// AvailableMemory returns how many bytes of memory agents can use, 0 if that is not known: see [Options].
func AvailableMemory() int64 { return machine.Available() }
