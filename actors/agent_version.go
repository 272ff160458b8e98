package actors

import (
	"betcode/actors/internal/claude"
	"betcode/messages"
	"betcode/messages/claudecode"
)

// stageVersion is the stage of a start that was not tried, because the program is
// too old.
const stageVersion = "version"

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

// refusal is what an agent said that ended at once because it would not start: it
// has written nothing but a complaint that its next start would repeat.
func (e evidence) refusal() string {
	if !e.silent || !e.exit.Known || e.exit.Signal != "" || e.exit.Code == 0 || e.turn != nil || e.memoryGone {
		return ""
	}
	return claude.Complaint(e.complaint).Refusal()
}

// refusedStart reports whether an agent of a version is not started in a run, with the end that the run then has.
func refusedStart(run messages.RunRecord, version string) (messages.Exit, bool) {
	if advice := tooOld(version); advice != "" {
		return messages.Exit{Known: true, Code: 127, Reason: advice, Stage: stageVersion}, true
	}
	return optionsRefused(run.Options, version)
}
