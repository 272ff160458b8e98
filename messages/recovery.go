package messages

// What becomes of a turn whose agent is gone, and of an agent that cannot run.

// ResumePolicy says what follows when a turn was cut off: its agent died, or the
// daemon or the machine did. Stored and sent as text.
type ResumePolicy string

// The policies. The empty one means the daemon's own.
const (
	ResumeAuto  ResumePolicy = "auto"  // it is continued, a few times
	ResumeAsk   ResumePolicy = "ask"   // it waits until a person says so
	ResumeNever ResumePolicy = "never" // it is over
)

// Valid reports whether p is a policy, or empty.
func (p ResumePolicy) Valid() bool {
	return p == "" || p == ResumeAuto || p == ResumeAsk || p == ResumeNever
}

// Condition names what keeps an agent from running until a person does something
// about it: trying again by itself would change nothing. Stored and sent as text.
type Condition string

// The conditions. How each is recognised, what people are told and what releases
// it is in the table of package actors/session/condition.
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
	WaitsByPolicy = "policy"        // the policy is to ask
	WaitsTooOften = "cut_off_often" // it was continued as often as may be
	// WaitsForAnswer: the agent was parked in the middle of its turn, and the first answer to one of its requests resumes it.
	WaitsForAnswer = "answer"
	// WaitsRestored: the session came out of a backup. Restoring a journal sets it.
	WaitsRestored = "restored"
)

// ContinueSession lets a session that waits for a person go on:
// with the turn that waits, or with the messages that its agent could not be
// given. Answered with [SessionContinued].
type ContinueSession struct {
	ask
	Session SessionID
}

// SessionContinued answers [ContinueSession]. WasWaiting is false if there was
// nothing to go on with.
type SessionContinued struct {
	answer
	WasWaiting bool
}

// RestartSession ends the agent of a session, if it runs, and starts it again,
// whatever kept it from running before. A turn that runs is cut off and goes on.
// Answered with [SessionRestarted] when the new process is there, or the session
// waits for a place in the pool; else with why it could not be started.
type RestartSession struct {
	ask
	Session SessionID
}

// SessionRestarted answers [RestartSession].
type SessionRestarted struct {
	answer
	WasRunning bool
	Queued     bool // all agents are busy: it starts when there is a place
}

// Target implements [SessionRequest].
func (m ContinueSession) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m RestartSession) Target() SessionID { return m.Session }
