//go:build !linux

package process

import "net/netip"

// ConnectedBelowAgent would say whether a caller over TCP descends from an agent. This
// system is not asked yet.
func ConnectedBelowAgent(_, _ netip.AddrPort) (bool, error) { return false, nil }
