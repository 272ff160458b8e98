//go:build !linux

package process

import "net/netip"

// ConnectedBelowAgent is not implemented on this system: callers over TCP are not identified.
func ConnectedBelowAgent(_, _ netip.AddrPort) (bool, error) { return false, nil }
