package messages

import "time"

// The conversation between a gateway and a session whose agent runs elsewhere, under a proxy. The session keeps everything else
// like any other: its journal, its lock, its requests and its clients.

// ProxyRecord is what the journal knows of the proxy of a session. It is replaced, never changed.
type ProxyRecord struct {
	Owner     string // the person whose token registered the session; empty = a caller without a token, over the socket
	Host      string // the proxy's machine
	Version   string // of the proxy
	Agent     string // kind of agent: "claude", "codex" or "muse"
	Facts     ProxyFacts
	Abilities ProxyAbilities

	Connected   bool      // a proxy is connected, or was when the daemon crashed
	Inputs      uint64    // number of the newest input
	InterruptAt time.Time // when a person asked for an interrupt that waits for a connection; zero = none waits
	Interrupted bool      // the interrupt of the running turn may have reached the proxy
	Asked       []string  // the newest requests of the agent: which a connection may repeat
	Ended       string    // why the session has ended for good; empty = it has not
}

// ProxyFacts are what a proxy tells of the directory in which its agent works. What is not known is empty.
type ProxyFacts struct {
	Branch       string
	Repository   string
	MergeRequest string
}

// ProxyAbilities are what a proxy of one generation can do.
type ProxyAbilities struct {
	AcknowledgesFromAgent bool // it acknowledges an input when its agent has it, and not before
	IgnoresLateDecisions  bool // a decision that nothing waits for does no harm
	Interrupts            bool // it can interrupt a turn
	Terminates            bool // it obeys a [ProxyTerminate]
}

// ConnectProxy begins one connection of a proxy, and creates the session if the journal does not know it. A session of another
// owner, or whose agent the daemon runs, is [NotFound]. An earlier connection ends with [Aborted]. Answered with
// [ProxyConnected]; what the proxy is told goes to Sink, which gets nothing before the answer is sent.
type ConnectProxy struct {
	ask
	Session          SessionID
	Owner            string
	Connection       string // unique
	Name             string
	WorkingDirectory string // on the proxy's machine
	Host             string
	Version          string
	Agent            string
	Facts            ProxyFacts
	Abilities        ProxyAbilities
	Replaces         SessionID // the session that this one takes the place of; empty = none
	Sink             ProxySink
}

// ProxyConnected answers [ConnectProxy].
type ProxyConnected struct {
	answer
	Resumed bool // the session existed
}

// TakeProxyFrames hands a session what its proxy has sent, in order. Answered with [ProxyFramesTaken] when everything is durable,
// or with [Aborted] if the connection is no longer the session's.
type TakeProxyFrames struct {
	ask
	Session    SessionID
	Connection string
	Frames     []ProxyFrame
}

// ProxyFramesTaken answers [TakeProxyFrames].
type ProxyFramesTaken struct {
	answer
	Seq     uint64 // number of the last counted line, in the count of the proxy
	Counted bool   // there was one
}

// DisconnectProxy ends a connection. Inputs and decisions wait for the next one. Answered with [Done].
type DisconnectProxy struct {
	ask
	Session    SessionID
	Connection string
}

// ReplaceProxied ends a session whose place another one takes. It is [NotFound] unless it is proxied and of the owner. Answered
// with [Done], also if the session has ended before.
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

// ProxyFrame is one thing that a proxy has sent.
type ProxyFrame interface{ proxyFrame() }

type (
	// ProxyLine is a line of the agent.
	ProxyLine struct {
		Seq     uint64 // its number, counted by the proxy from 0
		Counted bool   // it has one; a line without is not acknowledged
		Line    []byte
	}
	// ProxyAsked is a permission request of the agent.
	ProxyAsked struct {
		Request     RequestID
		Tool        string
		Input       []byte // a JSON object
		Suggestions []byte // a JSON array, or empty
	}
	// ProxyInputTaken says that the proxy has an input and all before it.
	ProxyInputTaken struct {
		Number  uint64
		ByAgent bool // the agent has it
		Failed  bool // the agent cannot get it
	}
	// ProxyDecisionTaken says that a decision has reached the proxy.
	ProxyDecisionTaken struct{ Request RequestID }
)

func (ProxyLine) proxyFrame()          {}
func (ProxyAsked) proxyFrame()         {}
func (ProxyInputTaken) proxyFrame()    {}
func (ProxyDecisionTaken) proxyFrame() {}
func (ProxyFacts) proxyFrame()         {}

// ProxySink takes what the proxy of one connection is told. Its methods never wait, and do nothing after Close.
type ProxySink interface {
	Send(e ProxyEvent)
	// Close ends the connection behind what was sent, for a reason. A nil reason is a clean end.
	Close(reason error)
}

// ProxyEvent is one thing that a proxy is told.
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
		Input       []byte // with which the tool runs; empty for a denial
		Permissions []byte // suggestions that hold from now on, a JSON array; empty = none
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
