package messages

import "time"

// AnswerPermission decides a permission request or answers a question. It needs
// no lock: the first answer decides. Answered with [PermissionAnswered]
// when the decision is journaled.
type AnswerPermission struct {
	ask
	Session  SessionID
	Client   ClientID
	Request  RequestID // for a question also "<request>/<n>"
	Key      string    // idempotency key, may be empty
	Decision Decision
	Message  string            // for a denial: text for the model
	Updated  []byte            // for AllowWithEdit: the whole input, JSON
	Answers  map[string]string // for a question: question text → answer

	Suggestions []uint32 // for an allowed call: indexes of the request's suggestions that apply from now on, from 0
	Exposed     string   // as in [StartSession]
}

// PermissionAnswered answers [AnswerPermission]. Applied is false for an answer after the first
// one, which decides: answers are idempotent.
type PermissionAnswered struct {
	answer
	Applied  bool
	By       string // the client, rule or deadline that decided
	Decision Decision
	Request  RequestID // full id of the answered request; may be empty unless Applied
	At       time.Time // when it was decided; zero = not known
}

// SetGrant allows or forbids a tool for the rest of a session. Answered with [Done].
type SetGrant struct {
	ask
	Session SessionID
	Client  ClientID
	Tool    string
	Granted bool
}

// ClearGrants removes the grant for one tool, or all grants if Tool is empty. Answered with [Done].
type ClearGrants struct {
	ask
	Session SessionID
	Client  ClientID
	Tool    string
}

// Target implements [SessionRequest].
func (m AnswerPermission) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m SetGrant) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m ClearGrants) Target() SessionID { return m.Session }

// ResolveRequest finds a permission request that no longer waits, for a caller that names no
// session: by its id, or by a prefix of the id of a recent one. Answered with [RequestResolved],
// [NotFound], or, for an ambiguous prefix, [Invalid].
type ResolveRequest struct {
	ask
	Reference string
}

// RequestResolved answers [ResolveRequest].
type RequestResolved struct {
	answer
	Session SessionID
	Request RequestID
}

// ListPermissions asks for the undecided permission requests of one session, or of all sessions if
// Session is empty. Answered with [PermissionList].
type ListPermissions struct {
	ask
	Session SessionID
}

// PermissionList answers [ListPermissions], oldest first.
type PermissionList struct {
	answer
	Permissions []PermissionRecord
}

// AskReason is what the agent reports about a permission request besides the call itself.
// Each text is one line, and empty if the agent reports none.
type AskReason struct {
	ParentToolUse string // the call that started the asking subagent
	DisplayName   string // of the tool, for people
	Title         string // the question, as the agent words it
	Reason        string // why it asks
	ReasonType    string // "rule", "mode", "safetyCheck", …
	BlockedPath   string // the path because of which it asks
	MatchedRule   string // the user's ask rule because of which it asks

	NoSessionGrant bool // clients must not offer an answer for the whole session
	DefaultToNo    bool // clients preselect "no"
}

// Context returns the texts that are not empty, by their names in the audit log.
func (r AskReason) Context() map[string]string {
	context := map[string]string{}
	for name, value := range map[string]string{
		"parent_tool_use_id": r.ParentToolUse, "display_name": r.DisplayName, "title": r.Title, "decision_reason": r.Reason,
		"decision_reason_type": r.ReasonType, "blocked_path": r.BlockedPath, "matched_ask_rule": r.MatchedRule,
	} {
		if value != "" {
			context[name] = value
		}
	}
	return context
}

// Decision is an answer to a permission request. Stored: append only.
type Decision uint8

// The decisions, numbered as PermissionDecision of the API.
const (
	Undecided         Decision = 0
	AllowOnce         Decision = 1
	AllowSession      Decision = 2
	Deny              Decision = 3
	AllowWithEdit     Decision = 4
	DenyNoInterrupt   Decision = 5
	DenyWithInterrupt Decision = 6
	DecisionWithdrawn Decision = 100 // withdrawn by the agent, or no longer needed
	DecisionExpired   Decision = 101
	DecisionAnswered  Decision = 102 // a question was answered
)

// PermissionRecord is one permission request or question that waits for a person, or
// whose decision has not reached the agent yet. It is a row of the pending_permissions
// table of the daemon document.
type PermissionRecord struct {
	Request     RequestID
	Session     SessionID
	Run         RunNumber // the run that asks
	Seq         Seq       // number of its first PermissionRequest or UserQuestion event
	Tool        string
	ToolUse     string // id of the tool call
	Agent       string // id of the asking subagent, empty for the main thread
	Description string
	Input       []byte // the tool's input: the JSON bytes as received
	Suggestions []byte // the agent's permission_suggestions, JSON; may be empty
	Question    bool   // an AskUserQuestion
	Reason      string // why rules and grants do not decide it; empty: they may
	Why         AskReason
	Mode        string  // of a request by the daemon: the permission mode to confirm
	Budget      Holding // of a request by the daemon: the budget to raise

	ReceivedAt      time.Time
	ForwardedAt     time.Time // when its event was committed
	ExpiresAt       time.Time // wall clock
	LastExtendedAt  time.Time
	ExtensionCount  uint32
	Reminder1hSent  bool
	Reminder24hSent bool

	Decision  Decision
	DecidedAt time.Time
	DecidedBy string            // client id, "rule", "grant", "agent", "deadline", "stop", "cancel"
	Message   string            // text for the model with a denial
	Updated   []byte            // AllowWithEdit: the edited input, JSON, sent whole
	Applied   []uint32          // indexes of the Suggestions that apply from now on, from 0
	Answers   map[string]string // DecisionAnswered: question text → answer

	OrphanedAt time.Time   // when the asking process ended; zero while it waits
	Formerly   []RequestID // earlier request ids of the same call, newest last

	Sent bool // of a proxied session: the decision may have reached the proxy
}

// Own reports whether the daemon asks, and not the agent.
func (p PermissionRecord) Own() bool { return p.Mode != "" || p.Budget != "" }

// Orphaned reports whether no process waits for the decision: the asking process has
// ended, and its successor has not asked again yet.
func (p PermissionRecord) Orphaned() bool { return !p.OrphanedAt.IsZero() }
