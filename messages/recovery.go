package messages

// Recovery of interrupted turns, and of agents that cannot run.

// ResumePolicy is what happens after an interrupted turn, whose agent, daemon or machine
// ended. Stored and sent as text.
type ResumePolicy string

// The policies. The empty one means the daemon's own.
const (
	ResumeAuto  ResumePolicy = "auto"  // it is continued, a limited number of times
	ResumeAsk   ResumePolicy = "ask"   // it waits for a person
	ResumeNever ResumePolicy = "never" // it is over
)

// Valid reports whether p is a policy, or empty.
func (p ResumePolicy) Valid() bool {
	return p == "" || p == ResumeAuto || p == ResumeAsk || p == ResumeNever
}

// Condition names what keeps an agent from running until a person acts. The daemon does
// not retry meanwhile. Stored and sent as text.
type Condition string

// The conditions. The table of package actors/session/condition has for each how it is
// detected, its text for people, and what clears it.
const (
	DirectoryGone       Condition = "working_directory_gone"
	AgentMissing        Condition = "agent_missing"
	AgentTooOld         Condition = "agent_version_unsupported"
	StartRefused        Condition = "agent_start_refused"
	NotLoggedIn         Condition = "not_logged_in"
	KeyRefused          Condition = "api_key_refused"
	ConversationDeleted Condition = "conversation_deleted"
	MemoryGone          Condition = "agent_memory_gone"
	ArgumentRefused     Condition = "argument_refused"
	AgentAlarmed        Condition = "agent_alarm"
	FenceRefused        Condition = "fence_refused"
)

// Why a turn waits for a person; [SessionRecord].Waiting.
const (
	WaitsByPolicy = "policy"        // the policy is ResumeAsk
	WaitsTooOften = "cut_off_often" // the limit of continuations is reached
	// WaitsForAnswer: the agent was parked during its turn. The first answer to one of its requests resumes it.
	WaitsForAnswer = "answer"
	// WaitsRestored: the session was restored from a backup.
	WaitsRestored = "restored"
)

// ContinueSession continues a session that waits for a person: with its interrupted turn,
// or with the messages that its agent could not get. Answered with [SessionContinued].
type ContinueSession struct {
	ask
	Session SessionID
}

// SessionContinued answers [ContinueSession]. WasWaiting is false if there was nothing to continue.
type SessionContinued struct {
	answer
	WasWaiting bool
}

// RestartSession ends the agent of a session, if it runs, and starts a new one regardless
// of the session's condition. A running turn is interrupted and continued. Answered with
// [SessionRestarted] when the new process exists or the session waits for a slot, and
// with an [*Error] if it cannot be started.
type RestartSession struct {
	ask
	Session SessionID
}

// SessionRestarted answers [RestartSession].
type SessionRestarted struct {
	answer
	WasRunning bool
	Queued     bool // no slot is free: the agent starts when one is
}

// Target implements [SessionRequest].
func (m ContinueSession) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m RestartSession) Target() SessionID { return m.Session }
