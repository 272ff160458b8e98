//go:build !linux

package process

import "betcode/messages"

// IdentityOf returns the identity of a process that runs. This system does not tell.
func IdentityOf(int) (messages.ProcessIdentity, error) {
	return messages.ProcessIdentity{}, unknownLineage()
}

// Lives reports whether a process runs; this system does not tell.
func Lives(messages.ProcessIdentity) bool { return false }

// BelowAgentOf reports whether a process descends from the agent of a run. This system does not tell.
func BelowAgentOf(string, messages.ProcessIdentity) (bool, error) { return false, unknownLineage() }

func unknownLineage() error {
	return messages.Errorf("identify process", messages.Unimplemented, "this system does not tell which process calls")
}
