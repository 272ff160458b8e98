package messages

// SessionID identifies one conversation: a lower-case UUID, chosen by us and
// given to the agent with --session-id. The id that the agent reports later is
// kept apart ([SessionRecord].AgentSession), since resuming may change it.
type SessionID string

// ClientID identifies one attached client for the input lock and for "who
// answered". It comes from the call metadata x-client-id, or is made up for a
// stream that has none.
type ClientID string

// RequestID identifies one permission request or question of the agent; it is
// the request_id of the agent's control_request.
type RequestID string

// RunNumber counts the incarnations of the agent process of one session, from 1.
type RunNumber uint64

// Seq is the number of a journaled event within its session: dense, from 1.
// Seq 0 is never journaled and never a cursor.
type Seq uint64
