//go:build unix && !linux

package process

import "betcode/messages"

func newHandle(id messages.ProcessIdentity) (handle, error) { return polled{id}, nil }
