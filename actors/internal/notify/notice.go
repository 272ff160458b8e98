package notify

import (
	"strings"
	"time"

	"betcode/actors/internal/texts"
	"betcode/messages"
	"betcode/messages/visible"
)

// maxVariable bounds a variable, in characters. With a longer one, or with a zero in one, the system starts no program, and an
// agent chooses some of what is in them.
const maxVariable = 16 << 10

// Notice is something a person should know who does not watch.
type Notice struct {
	Code    string             `json:"code"`
	Message string             `json:"message"`
	Session messages.SessionID `json:"session_id"`
	Name    string             `json:"session_name,omitempty"`
	At      time.Time          `json:"at"`
	Details map[string]string  `json:"details,omitempty"`
}

// shown returns the notice as people see all of it: agents and proxies choose names of tools and of requests, and characters that are
// not seen would deceive a person or drive a terminal. Only the message has lines.
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

// environ is a notice for programs that do not read JSON. A tool's input is not in it, since that may hold anything.
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

// title is a short line about the notice.
func (n Notice) title() string {
	session := n.Name
	if session == "" && len(n.Session) >= 8 {
		session = string(n.Session[:8])
	}
	return strings.TrimSpace("betcode " + session)
}
