package session

import (
	"slices"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// Differences between versions of the agent. The version is that of the program when it was started, until the agent reports its
// own. Both are in the session's record, so that the version of an adopted agent is known.

// startedAs notes the version of a program that was started.
func (t *transition) startedAs(m messages.ProcessStarted) {
	if !m.Adopted && m.Version != "" && m.Version != t.s.record.AgentVersion {
		t.change().AgentVersion = m.Version
	}
}

// beginInputs marks the oldest input that the agent has as begun, where the agent does not report with which one its turn begins.
func (t *transition) beginInputs(m claude.TurnStarted) {
	if t.s.can().CommandLifecycle || m.Origin != "" {
		return
	}
	for _, in := range t.s.inputs {
		if in.Run == t.s.record.Run && in.State >= messages.InputWriting && in.State < messages.InputStarted {
			in.State = messages.InputStarted
			t.putInput(in)
			return
		}
	}
}

// answeredBy lists the messages that a turn has answered: those that its result names, and those that were begun, where the agent
// does not report the state of messages. A command without a turn answers the oldest.
func (t *transition) answeredBy(m claude.TurnEnded) []string {
	if t.s.can().CommandLifecycle || m.Origin != "" {
		return m.Inputs
	}
	answered := slices.Clone(m.Inputs)
	var oldest string
	for _, in := range t.s.inputs {
		switch {
		case in.Run != t.s.record.Run || in.State < messages.InputWriting:
		case in.State >= messages.InputStarted && !slices.Contains(answered, in.Key):
			answered = append(answered, in.Key)
		case oldest == "":
			oldest = in.Key
		}
	}
	if len(answered) == 0 && oldest != "" {
		answered = append(answered, oldest)
	}
	return answered
}

// readComplaint evaluates the standard error of a run that ended, for what the agent reports nowhere else.
func (t *transition) readComplaint(exit messages.Exit) {
	if t.s.run == nil || !exit.Known || exit.Code == 0 {
		return
	}
	c := claude.Complaint(t.s.agent.stderr)
	if t.s.run.Resumed {
		t.s.agent.memoryGone = t.s.agent.memoryGone || c.MemoryGone(t.s.run.AgentSession)
		return
	}
	t.s.agent.idTaken = c.IDTaken(t.s.run.AgentSession)
	t.s.agent.memoryGone = t.s.agent.memoryGone || t.s.forks() && c.MemoryGone(t.s.record.Fork.AgentSession)
}

// forks reports whether the newest run was to fork another conversation.
func (s *state) forks() bool {
	return s.run != nil && !s.run.Resumed && s.record.Fork.AgentSession != ""
}

// notContinuing is a sorted list of versions that do not continue an interrupted turn by themselves.
type notContinuing []string

// continues reports whether a version is believed to continue an interrupted turn by itself.
func (n notContinuing) continues(version string) bool {
	_, stays := slices.BinarySearch(n, version)
	return !stays
}
