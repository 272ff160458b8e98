package actors

import (
	"betcode/actors/session"
	"betcode/messages"
	"betcode/messages/claudecode"
)

// agentVersion asks for the version of the agent's program. It may run the program,
// so only workers call it. Empty means that it is not known.
func (s *System) agentVersion() string {
	if s.options.AgentVersion == nil {
		return ""
	}
	return s.options.AgentVersion()
}

// tooOld says how to replace a version that cannot be worked with; empty for others.
func tooOld(version string) (advice string) {
	if claudecode.Level(version) != claudecode.Incompatible {
		return ""
	}
	return claudecode.Advice(version)
}

// refusedStart reports whether an agent of a version is not started in a run, with the end that the run then has.
func refusedStart(run messages.RunRecord, version string) (messages.Exit, bool) {
	if advice := tooOld(version); advice != "" {
		return messages.Exit{Known: true, Code: 127, Reason: advice, Stage: session.StageVersion}, true
	}
	return optionsRefused(run.Options, version)
}
