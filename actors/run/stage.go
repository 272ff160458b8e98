package run

// Stages of a start that is not tried, in [messages.Exit]. The next start would fail the same way.
const (
	StageVersion = "version" // the agent's program is too old, or lacks an option
	StageState   = "state"   // nothing can be written below the state directory
)
