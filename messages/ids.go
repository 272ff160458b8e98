package messages

import "strings"

// SessionID identifies one conversation: a lower-case UUID that the daemon chooses and
// passes to the agent with --session-id. The id that the agent reports later may change
// when it resumes, and is in [SessionRecord].AgentSession.
type SessionID string

// ClientID identifies a client, as holder of the input lock and in decisions. It comes
// from the call metadata x-client-id; the gateway generates one for a stream without it.
type ClientID string

// Shown returns the client id for people. An id of the form "user@host:terminal#process" becomes "user@host terminal":
// the part after the number sign only distinguishes processes of one terminal.
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

// ShortID returns the beginning of an id, which commands accept for it and people can type.
func ShortID[ID ~string](id ID) string {
	const length = 8
	return string(id[:min(len(id), length)])
}

// RequestID identifies one permission request or question of the agent; it is
// the request_id of the agent's control_request.
type RequestID string

// RunNumber counts the incarnations of the agent process of one session, from 1.
type RunNumber uint64

// Seq is the number of a journaled event within its session: dense, from 1.
// Seq 0 is never journaled and never a cursor.
type Seq uint64
