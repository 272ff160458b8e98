package session

// Stages of a start that the system gives up before it tries. The next one would fail the same way.
const (
	StageVersion = "version" // the agent's program is too old, or lacks an option
	StageState   = "state"   // nothing can be written below the state directory
)
