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

// ShownTo returns the client id for people who read it at a client: "you" for that client, and for another client of the same user on
// the same machine its terminal, or its process if it has none of its own.
func (c ClientID) ShownTo(reader ClientID) string {
	if c == reader && c != "" {
		return "you"
	}
	user, terminal, process := c.parts()
	own, ownTerminal, _ := reader.parts()
	switch {
	case user == "" || user != own:
		return c.Shown()
	case terminal != "" && terminal != ownTerminal:
		return "your other terminal (" + terminal + ")"
	}
	return "your other process (" + process + ")"
}

// ShownBeside returns what ShownTo returns, with the process behind it if another client reads the same.
func (c ClientID) ShownBeside(other, reader ClientID) string {
	shown := c.ShownTo(reader)
	if _, _, process := c.parts(); process != "" && c != other && shown == other.ShownTo(reader) {
		shown += " (" + process + ")"
	}
	return shown
}

// parts splits an id of the form "user@host:terminal#process"; all are empty for another form. The terminal may be missing.
func (c ClientID) parts() (user, terminal, process string) {
	user, process, _ = strings.Cut(string(c), "#")
	if !strings.Contains(user, "@") || process == "" {
		return "", "", ""
	}
	if at := strings.LastIndexByte(user, ':'); at > 0 {
		user, terminal = user[:at], user[at+1:]
	}
	process, _, _ = strings.Cut(process, ".")
	return user, terminal, process
}

// RequestID identifies one permission request or question of the agent; it is
// the request_id of the agent's control_request.
type RequestID string

// RunNumber counts the incarnations of the agent process of one session, from 1.
type RunNumber uint64

// Seq is the number of a journaled event within its session: dense, from 1.
// Seq 0 is never journaled and never a cursor.
type Seq uint64
