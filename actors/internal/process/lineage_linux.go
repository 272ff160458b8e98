package process

import (
	"errors"
	"fmt"
	"path/filepath"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

// IdentityOf returns the identity of a running process. Its parent need not be known.
func IdentityOf(pid int) (messages.ProcessIdentity, error) {
	e, err := processTable("/proc").line(pid)
	switch {
	case err != nil:
		return messages.ProcessIdentity{}, err
	case e.state == 'Z' || e.state == 'X':
		return messages.ProcessIdentity{}, fmt.Errorf("process %d has ended", pid)
	}
	return e.identity(), nil
}

// Lives reports whether a process runs.
func Lives(id messages.ProcessIdentity) bool { return id.BootID == launch.BootID() && lives(id) }

// BelowAgentOf reports whether a process descends from the live agent of a run. directory is that of the run.
func BelowAgentOf(directory string, id messages.ProcessIdentity) (bool, error) {
	var started launch.Started
	if err := readRecord(filepath.Join(directory, launch.StartedFile), &started); err != nil {
		return false, fmt.Errorf("find the agent of the run: %w", err)
	}
	agent := identity(started.Agent, started.BootID)
	if !Lives(agent) {
		return false, errors.New("the agent of the run has ended")
	}
	t := processTable("/proc")
	at := id.PID
	for range maxAncestors {
		e, err := t.line(at)
		switch {
		case err != nil:
			return false, err
		case at == id.PID && e.start != id.StartTime:
			return false, errors.New("the process has ended")
		case e.parent == agent.PID:
			return Lives(agent), nil // otherwise the pid may be another's
		case e.parent <= 1:
			return false, nil
		}
		at = e.parent
	}
	return false, nil
}
