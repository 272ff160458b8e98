package foreignproxy

import (
	"encoding/json"
	"time"
)

// Options describe a proxy. URL, Session and Generation are required.
type Options struct {
	URL        string  // of the portal: http, https, ws or wss
	Token      *string // nil = null
	Generation int     // 1 to 3
	Session    string  // a UUID

	Name      string // of the session
	Directory string
	Hostname  string // G2, G3
	Branch    string
	RepoURL   string // G2, G3
	PRURL     string // G2, G3
	Version   string // of the proxy
	AgentType string // G2, G3; empty = claude
	Replaces  string // a session, G2, G3
	Resuming  bool

	// Agent runs under the proxy, from the start of Run to its end; nil = none.
	Agent Agent
	// State is that of an earlier proxy of the session.
	State State
	// Second is how long a second takes; 0 = one second.
	Second time.Duration
	// Backoff is how long the proxy waits before it connects again, the first time; 0 = Second.
	Backoff time.Duration
	// Log is called with each line of the proxy's log; nil = no log.
	Log func(format string, args ...any)
}

// State is the content of a proxy's file. It is written when lines are acknowledged and at the end
// of a connection.
type State struct {
	Next    uint64
	LastAck uint64
	Pending []Line
}

// Line is a numbered line.
type Line struct {
	Seq     uint64
	Content json.RawMessage
}

// Input is a prompt as it came.
type Input struct {
	Seq     int64
	Text    string // the input of the agent
	Message string // client_msg_id, G3
}

// Answer is the answer to a permission request, as the agent was given it.
type Answer struct {
	Request     string
	Allow       bool
	Input       json.RawMessage // {} if there was none
	Permissions json.RawMessage
	Reason      string
	Stale       bool // the agent was not given it
}

// Seen records the events of a proxy so far.
type Seen struct {
	Registered int // connections that were accepted
	Connected  bool
	Ended      error    // why Run has returned
	Said       int      // numbered lines of the agent, without the proxy's own
	Refused    []string // errors of RegisterAcks
	Inputs     []Input
	Answers    []Answer
	Interrupts int
	Files      map[string][]byte // that have come, by name
	Acked      uint64            // the last acknowledgement that had an effect
	Pending    int               // lines that are not acknowledged
	Dropped    int               // lines that were lost because too many were pending
	Shutdowns  int
	Broken     []string // why connections ended that the proxy could not read
	Closes     []string // how others ended
}
