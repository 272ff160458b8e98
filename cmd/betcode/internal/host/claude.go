package host

import (
	"betcode/messages"
	"betcode/messages/claudecode"
)

// componentClaude is the agent's executable in the health report. It is listed only if its version has limits.
const componentClaude = "claude_code"

// healthComponents returns the health of the parts that are no actors, and of the agent's executable. It does not wait:
// it uses the version found last and starts a new lookup.
func (d *daemon) healthComponents() []messages.ComponentHealth {
	all := d.components.list()
	if c, found := claudeHealth(d.claude.latest()); found {
		c.Checked = d.claude.asked()
		all = append(all, c)
	}
	return all
}

// claudeHealth returns the health of the agent's executable in a version; found is false if the version has no limits.
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
