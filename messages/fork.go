package messages

// ForkSession creates a session that begins with the present conversation of another
// session, which does not change. That session must have no running turn and no waiting
// message. Answered with [SessionForked], also if Fork was made of the same session
// before.
type ForkSession struct {
	ask
	Session SessionID
	Fork    SessionID // the new session; the same for a repeated request
	Client  ClientID
	Name    string // of the new session; may be empty
}

// SessionForked answers [ForkSession].
type SessionForked struct {
	answer
	Session SessionID
	Origin  Fork
}

// Fork is where a session was forked from.
type Fork struct {
	Session      SessionID
	Seq          Seq     // the history of Session up to here, inclusive, precedes the fork's own
	AgentSession string  // the agent's name for the conversation that is forked
	Message      string  // id in the agent's transcript of its last message in the fork
	CostUSD      float64 // cost that the agent has counted for the conversation; in some versions the count of a fork continues from it
}
