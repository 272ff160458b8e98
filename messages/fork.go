package messages

// ForkSession makes a session that begins with the conversation of another, as it stands
// now; the other stays as it is. No turn may run in it, and no message may wait. Answered
// with [SessionForked], also when Fork was made of the same session before.
type ForkSession struct {
	ask
	Session SessionID
	Fork    SessionID // the new one; the same for a repeated request
	Client  ClientID
	Name    string // of the new session; may be empty
}

// SessionForked answers [ForkSession].
type SessionForked struct {
	answer
	Session SessionID
	Origin  Fork
}

// Fork says where a session was forked from.
type Fork struct {
	Session      SessionID
	Seq          Seq     // its history up to here, inclusive, precedes the fork's own
	AgentSession string  // the agent's name for the conversation that is forked
	Message      string  // of the agent, the last that belongs to the fork, as its transcript names it
	CostUSD      float64 // that the agent has counted for the conversation: versions differ in whether a fork counts on
}
