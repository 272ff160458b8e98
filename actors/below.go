package actors

import (
	"net/netip"

	"betcode/actors/internal/process"
)

// BelowAgent says whether a process is an agent or descends from one: it may look
// at sessions and not act on them. An error means that it could not be told.
func BelowAgent(pid int) (bool, error) { return process.BelowAgent(pid) }

// ConnectedBelowAgent is [BelowAgent] for the process at the other end of a TCP
// connection, by the addresses of its two ends.
func ConnectedBelowAgent(caller, ours netip.AddrPort) (bool, error) {
	return process.ConnectedBelowAgent(caller, ours)
}
