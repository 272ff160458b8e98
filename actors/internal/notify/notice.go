package notify

import (
	"strings"
	"time"

	"betcode/actors/internal/texts"
	"betcode/messages"
	"betcode/messages/visible"
)

// maxVariable bounds a variable, in characters. The system starts no program with a longer variable or with one that contains a
// NUL, and agents choose parts of the values.
const maxVariable = 16 << 10

// Notice is information for a person who is not attached to a session.
type Notice struct {
	Code    string             `json:"code"`
	Message string             `json:"message"`
	Session messages.SessionID `json:"session_id"`
	Name    string             `json:"session_name,omitempty"`
	At      time.Time          `json:"at"`
	Details map[string]string  `json:"details,omitempty"`
}

// shown returns the notice as people see it: agents and proxies choose names of tools and of requests, and hidden characters
// could deceive a person or control a terminal. Only the message may have several lines.
func (n Notice) shown() Notice {
	n.Message, n.Name = visible.Text(n.Message), visible.Line(n.Name)
	details := make(map[string]string, len(n.Details))
	for name, value := range n.Details {
		details[name] = visible.Line(value)
	}
	n.Details = details
	return n
}

// Request returns the permission request that the notice is about; empty if there is none.
func (n Notice) Request() messages.RequestID { return messages.RequestID(n.Details["request_id"]) }

// environ returns a notice as variables, for programs that do not parse JSON. It leaves out a tool's input, which may contain anything.
func (n Notice) environ() []string {
	all := []string{
		"BETCODE_EVENT=" + n.Code, "BETCODE_MESSAGE=" + n.Message, "BETCODE_SESSION_ID=" + string(n.Session),
		"BETCODE_SESSION_NAME=" + n.Name, "BETCODE_REQUEST_ID=" + n.Details["request_id"],
		"BETCODE_TOOL=" + n.Details["tool"], "BETCODE_AGE=" + n.Details["age"],
	}
	for i, entry := range all {
		all[i] = texts.Shorten(strings.ReplaceAll(entry, "\x00", `\x00`), maxVariable)
	}
	return all
}

// title returns a short line about the notice.
func (n Notice) title() string {
	session := n.Name
	if session == "" && len(n.Session) >= 8 {
		session = messages.ShortID(n.Session)
	}
	return strings.TrimSpace("betcode " + session)
}
