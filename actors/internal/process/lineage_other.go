//go:build !linux

package process

import "betcode/messages"

// IdentityOf returns the identity of a running process. It is not implemented on this system.
func IdentityOf(int) (messages.ProcessIdentity, error) {
	return messages.ProcessIdentity{}, unknownLineage()
}

// Lives reports whether a process runs. It always returns false on this system.
func Lives(messages.ProcessIdentity) bool { return false }

// BelowAgentOf reports whether a process descends from the agent of a run. It is not implemented on this system.
func BelowAgentOf(string, messages.ProcessIdentity) (bool, error) { return false, unknownLineage() }

func unknownLineage() error {
	return messages.Errorf("identify process", messages.Unimplemented, "this system does not report the process of a caller")
}
