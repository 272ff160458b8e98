package session

import (
	"time"

	"betcode/messages"
)

// Notice is a notification for a person who does not watch the session.
type Notice struct {
	Code    string             `json:"code"`
	Message string             `json:"message"`
	Session messages.SessionID `json:"session_id"`
	Name    string             `json:"session_name,omitempty"`
	At      time.Time          `json:"at"`
	Details map[string]string  `json:"details,omitempty"`
}
