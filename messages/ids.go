package messages

import "strings"

// SessionID identifies one conversation: a lower-case UUID, chosen by us and
// given to the agent with --session-id. The id that the agent reports later is
// kept apart ([SessionRecord].AgentSession), since resuming may change it.
type SessionID string

// ClientID identifies one attached client for the input lock and for "who
// answered". It comes from the call metadata x-client-id, or is made up for a
// stream that has none.
type ClientID string

// Shown returns the client as people read it. An id of the form "user@host:terminal#process" becomes "user@host terminal":
// what follows the number sign only tells the processes of one terminal apart.
func (c ClientID) Shown() string {
	who, _, numbered := strings.Cut(string(c), "#")
	if !numbered || who == "" {
		return string(c)
	}
	if at := strings.LastIndexByte(who, ':'); at > 0 && strings.Contains(who, "@") {
		who = who[:at] + " " + who[at+1:]
	}
	return who
}

// RequestID identifies one permission request or question of the agent; it is
// the request_id of the agent's control_request.
type RequestID string

// RunNumber counts the incarnations of the agent process of one session, from 1.
type RunNumber uint64

// Seq is the number of a journaled event within its session: dense, from 1.
// Seq 0 is never journaled and never a cursor.
type Seq uint64
