package messages

import "time"

// Messages between a gateway and a session whose agent runs elsewhere, under a proxy. Journal, lock, requests and
// clients of such a session are like those of any other.

// ProxyRecord is what the journal stores about the proxy of a session. It is immutable: a change replaces it.
type ProxyRecord struct {
	Owner     string // person whose token registered the session; empty = a caller on the Unix socket without a token
	Host      string // the proxy's machine
	Version   string // of the proxy
	Agent     string // kind of agent: "claude", "codex" or "muse"
	Facts     ProxyFacts
	Abilities ProxyAbilities

	Connected   bool      // a proxy is connected, or was when the daemon crashed
	Inputs      uint64    // number of the newest input
	InterruptAt time.Time // when a person requested the interrupt that waits for a connection; zero = none waits
	Interrupted bool      // the interrupt of the running turn may have reached the proxy
	Asked       []string  // the newest requests of the agent, which a connection may repeat
	Ended       string    // why the session has ended permanently; empty = it has not
}

// ProxyFacts are what a proxy reports about its agent's working directory. Unknown fields are empty.
type ProxyFacts struct {
	Branch       string
	Repository   string
	MergeRequest string
}

// ProxyAbilities are the abilities of a proxy, which depend on its dialect.
type ProxyAbilities struct {
	AcknowledgesFromAgent bool // it acknowledges an input only when its agent has it
	IgnoresLateDecisions  bool // it ignores a decision about a request that no longer waits
	Interrupts            bool // it can interrupt a turn
	Terminates            bool // it obeys a [ProxyTerminate]
}

// ConnectProxy begins one connection of a proxy, and creates the session if the journal does not know it. A session of
// another owner, or whose agent the daemon runs, is [NotFound]. An earlier connection ends with [Aborted]. Answered
// with [ProxyConnected]. Events for the proxy go to Sink, the first one after the answer.
type ConnectProxy struct {
	ask
	Session          SessionID
	Owner            string // the person of its token; empty = the daemon's user
	Token            string // its name; empty without one
	Connection       string // unique
	Name             string
	WorkingDirectory string // on the proxy's machine
	Host             string
	Version          string
	Agent            string
	Facts            ProxyFacts
	Abilities        ProxyAbilities
	Replaces         SessionID // the session that this one replaces; empty = none
	Sink             ProxySink
}

// ProxyConnected answers [ConnectProxy].
type ProxyConnected struct {
	answer
	Resumed bool // the session existed
}

// TakeProxyFrames passes frames of a proxy to its session, in order. Answered with [ProxyFramesTaken] when everything
// is durable, or with [Aborted] if the connection is no longer the session's.
type TakeProxyFrames struct {
	ask
	Session    SessionID
	Connection string
	Frames     []ProxyFrame
}

// ProxyFramesTaken answers [TakeProxyFrames].
type ProxyFramesTaken struct {
	answer
	Seq     uint64 // number of the last counted line, as the proxy counts
	Counted bool   // there was one
}

// DisconnectProxy ends a connection. Inputs and decisions wait for the next one. Answered with [Done].
type DisconnectProxy struct {
	ask
	Session    SessionID
	Connection string
}

// ReplaceProxied ends a session that another one replaces. It is refused with [NotFound] unless the session is proxied
// and belongs to the owner. Answered with [Done], also if the session had ended before.
type ReplaceProxied struct {
	ask
	Session SessionID
	Owner   string
	By      SessionID
}

// Target implements [SessionRequest]; so for each below.
func (m ConnectProxy) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m TakeProxyFrames) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m DisconnectProxy) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m ReplaceProxied) Target() SessionID { return m.Session }

// ProxyFrame is one message from a proxy.
type ProxyFrame interface{ proxyFrame() }

type (
	// ProxyLine is a line of the agent.
	ProxyLine struct {
		Seq     uint64 // its number, counted by the proxy from 0
		Counted bool   // it has a number; a line without one is not acknowledged
		Line    []byte
	}
	// ProxyAsked is a permission request of the agent.
	ProxyAsked struct {
		Request     RequestID
		Tool        string
		Input       []byte // a JSON object
		Suggestions []byte // a JSON array, or empty
	}
	// ProxyInputTaken reports that the proxy has an input and all before it.
	ProxyInputTaken struct {
		Number  uint64
		ByAgent bool // the agent has it
		Failed  bool // the agent cannot get it
	}
	// ProxyDecisionTaken reports that a decision has reached the proxy.
	ProxyDecisionTaken struct{ Request RequestID }
)

func (ProxyLine) proxyFrame()          {}
func (ProxyAsked) proxyFrame()         {}
func (ProxyInputTaken) proxyFrame()    {}
func (ProxyDecisionTaken) proxyFrame() {}
func (ProxyFacts) proxyFrame()         {}

// ProxySink receives the events for the proxy of one connection. Its methods never block, and do nothing after Close.
type ProxySink interface {
	Send(e ProxyEvent)
	// Close ends the connection after the events that were sent. A nil reason is a clean end.
	Close(reason error)
}

// ProxyEvent is one message to a proxy.
type ProxyEvent interface{ proxyEvent() }

type (
	// ProxyInput is a message for the agent.
	ProxyInput struct {
		Number  uint64 // in its session, from 1
		Content string
		Key     string // idempotency key
	}
	// ProxyDecision is the decision about a permission request.
	ProxyDecision struct {
		Request     RequestID
		Allow       bool
		Input       []byte // input with which the tool runs; empty for a denial
		Permissions []byte // suggestions that apply from now on, a JSON array; empty = none
		Reason      string // of a denial
	}
	// ProxyInterrupt ends the turn.
	ProxyInterrupt struct{}
	// ProxyTerminate ends the session.
	ProxyTerminate struct{ Reason string }
)

func (ProxyInput) proxyEvent()     {}
func (ProxyDecision) proxyEvent()  {}
func (ProxyInterrupt) proxyEvent() {}
func (ProxyTerminate) proxyEvent() {}
