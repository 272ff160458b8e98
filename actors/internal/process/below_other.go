//go:build !linux

package process

import "net/netip"

// BelowAgent always returns false: this system does not report the processes of
// callers either.
func BelowAgent(int) (bool, error) { return false, nil }

// ConnectedBelowAgent is not implemented on this system: callers over TCP are not identified.
func ConnectedBelowAgent(_, _ netip.AddrPort) (bool, error) { return false, nil }
