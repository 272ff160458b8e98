package session

import (
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// Messages between a session and the actor that started it, besides the requests of clients.

// Started is sent to the parent by the actor of a session that was started, or restarted after a crash. A restarted actor has
// forgotten which callers wait for the end of its agent.
type Started struct{ Session messages.SessionID }

// An actor that has nothing to do ends without losing a request, in three messages.
type (
	// Idle tells the parent that the session has nothing to do. From then on the parent keeps requests for it back.
	Idle struct{ Session messages.SessionID }

	// MayLeave is the parent's answer to Idle. The session handles everything that was sent to it before.
	MayLeave struct{}

	// LeaveAnswer is the answer to MayLeave. It is final: the parent ends the actor, or sends what it has kept back.
	LeaveAnswer struct {
		Session messages.SessionID
		Leaves  bool
	}
)

// An actor whose state cannot be relied on is replaced.
type (
	// Rebuild asks the parent to replace the actor by one that is rebuilt from the journal.
	Rebuild struct{ Session messages.SessionID }

	// Rebuilt is the first message to the new actor.
	Rebuilt struct{}
)

// Sessions send each other what a subagent and the session above it have to know, by way of the actor that started them.
type (
	// Toward asks the parent to hand a message to another session.
	Toward struct {
		Session messages.SessionID
		Message any
		Start   bool // its actor, if it does not run; otherwise the message is dropped then
	}

	// Forwarded brings a session the requests of subagents below it that wait for people, when they have changed. It replaces the
	// one before from the same session.
	Forwarded struct {
		From    messages.SessionID // the session directly below
		Waiting []prompts.Forwarded
		Decided []messages.PermissionRecord // of those that no longer wait, as far as it is known
	}

	// ForwardAgain asks the sessions directly below one for a [Forwarded]: its actor was restarted and has forgotten theirs.
	ForwardAgain struct{ To messages.SessionID }

	// NothingAbove answers a [Forwarded] or a [family.SpentBelow] to a session that does not exist.
	NothingAbove struct{}

	// ClientActive tells a session that a client is active on the session above, which shows its requests.
	ClientActive struct{}
)

// FleetIntruder tells a session that a process which is not the fleet server of a run has presented its ticket.
type FleetIntruder struct {
	Run messages.RunNumber
	PID int
	Why string
}

// The agents end when the daemon does.
type (
	// EndAgent asks a session to end its agent because the daemon ends.
	EndAgent struct{}

	// AgentEnded is the answer to EndAgent. The parent of sessions answers with one that names no session, when the
	// agents of all sessions have ended.
	AgentEnded struct{ Session messages.SessionID }
)
