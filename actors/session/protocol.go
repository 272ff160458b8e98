package session

import "betcode/messages"

// What a session and the actor that has started it tell each other, besides the requests of clients.

// Started is sent to the parent by the actor of a session that was started, or restarted after a crash: it does not
// know any more who waits for the end of its agent.
type Started struct{ Session messages.SessionID }

// How an actor that has nothing to do ends without losing a request: it sends Idle to its parent. From then on the
// parent keeps requests for the session back, and sends MayLeave. The session handles everything that was sent to it
// before, and then answers LeaveAnswer. That answer is final: the parent ends the actor, or passes on what it has kept back.
type (
	Idle        struct{ Session messages.SessionID }
	MayLeave    struct{}
	LeaveAnswer struct {
		Session messages.SessionID
		Leaves  bool
	}
)

// Rebuild asks the parent to replace the actor by one that is rebuilt from the journal. Rebuilt is the first
// message to the new one.
type (
	Rebuild struct{ Session messages.SessionID }
	Rebuilt struct{}
)

// EndAgent asks a session to end its agent because the daemon ends. The answer is AgentEnded. A parent that has been asked by
// EndAgent itself answers with one that names no session, when the agents of all have ended.
type (
	EndAgent   struct{}
	AgentEnded struct{ Session messages.SessionID }
)

// RulesChanged tells a session that the user's rules are other ones. Widened are the changes that let agents do more.
type RulesChanged struct {
	Source  string
	Widened []string
}
