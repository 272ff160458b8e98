package main

import (
	"betcode/messages"
	"betcode/messages/claudecode"
)

// componentClaude is the agent's executable in the health report. It is there only
// while people should know something about its version.
const componentClaude = "claude_code"

// healthComponents are the parts of the daemon that are no actors, and the agent's
// executable. It does not wait: the version is the one that was learned last, and
// is looked at again meanwhile.
func (d *daemon) healthComponents() []messages.ComponentHealth {
	all := d.components.list()
	if c, found := claudeHealth(d.claude.latest()); found {
		c.Checked = d.claude.asked()
		all = append(all, c)
	}
	return all
}

// claudeHealth is what a version means for the daemon's health; found is false when
// there is nothing to say.
func claudeHealth(version string) (c messages.ComponentHealth, found bool) {
	advice := claudecode.Advice(version)
	if advice == "" {
		return messages.ComponentHealth{}, false
	}
	c = messages.ComponentHealth{
		Name: componentClaude, Serving: true, Message: advice,
		State: "agent_version_degraded", Reason: "Claude Code " + version + " works with limits", Impact: advice,
	}
	if claudecode.Level(version) == claudecode.Incompatible {
		c.Serving, c.State, c.Reason = false, "agent_version_unsupported", "Claude Code "+version+" is not supported"
	}
	return c, true
}
