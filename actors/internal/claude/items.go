package claude

import (
	"time"

	"betcode/messages"
	betcodev1 "betcode/proto/betcode/v1"
)

// Item is one meaning of a line, in the order in which it happened: a [Draft]
// or one of the signals below.
type Item interface{ item() }

// Draft is an event for clients. It has its timestamp and parent_tool_use_id;
// the session adds session_id and sequence.
type Draft struct{ Event *betcodev1.AgentEvent }

// TurnStarted reports that a turn has begun (system/init; once per turn).
type TurnStarted struct {
	Inputs         []string // uuids of the messages it answers; empty for a turn without a message
	Origin         string   // its cause when no input was, as far as it is known yet
	Model          string
	PermissionMode string
	AgentSession   string
	Version        string // of the CLI
	Directory      string // its working directory
	Tools          []string
	Servers        []McpServer
	Abilities      messages.Abilities
}

// McpServer is an MCP server as the agent reports it. Its status is "connected",
// "pending", "failed", "needs-auth" or "disabled".
type McpServer struct {
	Name   string `json:"name"`
	Status string `json:"status"`
}

// Lifecycle is the stage of one message of ours in the agent.
type Lifecycle uint8

// The stages of a message. Completed without Started is a message that the
// agent's transcript already contained: no result follows.
const (
	Queued Lifecycle = iota
	Started
	Completed
	Canceled
)

// String returns the stage in lower case.
func (l Lifecycle) String() string {
	return [...]string{"queued", "started", "completed", "canceled"}[l&3]
}

// InputState reports the stage of a message. Internal commands of the agent
// have keys too; a key that was never sent is to be ignored.
type InputState struct {
	Key    string
	State  Lifecycle
	Reason string // the agent's word if it is more specific than State: "discarded", "refused"
}

// Denial is a tool call that was not allowed to run.
type Denial struct{ Tool, ToolUse string }

// Usage is what one turn has consumed.
type Usage struct {
	InputTokens, OutputTokens            uint64
	CacheReadTokens, CacheCreationTokens uint64
	CostUSD                              float64 // of this turn
	CostUnknown                          bool    // the agent has reported no cost, or an implausible one
	Duration                             time.Duration
	Model                                string
}

// TurnEnded reports that a turn is over. The drafts for clients (UsageReport,
// TurnComplete) come before it, except when MemoryGone: then nothing ran.
type TurnEnded struct {
	Inputs         []string // uuids of the messages that it has answered; they are done
	Subtype        string
	TerminalReason string
	StopReason     string // as TurnComplete has it
	Origin         string // its cause when no input was
	Unasked        bool   // no message, no command of the agent's own and no other reported cause began it
	ResumeReason   string
	Error          string // for people
	Failure        string // code of the ErrorEvent that was drafted, empty if there was none
	IsError        bool
	LocalCommand   bool   // a slash command that needed no model
	Text           string // the agent's last text in it, at most 4 KiB; empty if it failed
	MemoryGone     bool   // the conversation to be resumed does not exist: start it anew
	Usage          Usage
	ContextTokens  uint64 // in the model's context after it, as far as it is known
	ContextWindow  uint64 // size of the context in tokens, 0 if it was not reported
	Queued         int    // messages that wait for a turn of their own
	Denials        []Denial
}

// StatusHint reports the agent's apparent activity: THINKING, EXECUTING_TOOL or
// COMPACTING. It may be repeated; the session owns StatusChange.
type StatusHint struct{ Status betcodev1.AgentStatus }

// SessionStateChanged is the agent's own state: "running",
// "requires_action" or "idle".
type SessionStateChanged struct{ State string }

// PermissionAsked reports that a tool call waits for a decision. The agent waits
// without a limit; the session answers by rule or grant, or asks people with
// [PromptEvents].
type PermissionAsked struct {
	Request     string
	Tool        string
	ToolUse     string
	Agent       string // the subagent that asks, empty for the main thread
	Description string
	Input       []byte // JSON, as received
	Suggestions []byte // JSON, as received
	Why         messages.AskReason
	Question    bool   // an AskUserQuestion whose questions can be shown
	NeedsPerson bool   // the agent wants a person's decision, not a rule's
	Insists     string // why the agent asks although a rule of ours may allow the call; see insists
	At          time.Time
}

// PermissionWithdrawn reports that a request no longer needs an answer.
type PermissionWithdrawn struct{ Request string }

// ControlAsked reports a request of the agent that is not supported (a
// hook, an MCP call, a dialog). Answer with [UnhandledLine].
type ControlAsked struct {
	Request, Subtype string
	Name             string // of the hook or of the MCP server, if there is one
}

// ControlAnswered is the answer to a control request of ours.
type ControlAnswered struct {
	Request   string
	OK        bool
	Error     string
	ErrorCode string
	Response  []byte // JSON, as received
}

// ModeChanged reports that the agent works in another permission mode than before.
type ModeChanged struct{ Mode string }

// AgentSessionChanged reports that the conversation has another id from here on,
// which is the one to resume.
type AgentSessionChanged struct{ ID string }

// BackgroundTasks lists the tasks that outlive turns, all of them.
type BackgroundTasks struct{ IDs []string }

// MemoryReset reports that the agent has dropped the conversation (/clear).
type MemoryReset struct{ Trigger string }

// Compacted reports that the agent has summarised its context.
type Compacted struct {
	Trigger                   string // "manual" or "auto"
	TokensBefore, TokensAfter uint64
	Duration                  time.Duration
}

// CompactionFailed reports that it could not.
type CompactionFailed struct{ Error string }

// RetryWait reports that the agent waits before it repeats a request to the API.
type RetryWait struct {
	Attempt, Max int
	Delay        time.Duration
	Status       int // HTTP status, 0 when there was no answer
	Error        string
}

// RateLimited reports that a limit of the account refuses requests of the agent.
type RateLimited struct {
	Until time.Time // zero if the agent does not report it
	Kind  string    // the agent's name of the limit, for example "five_hour"; may be empty
}

// AssistantText is the beginning of a block of text of the agent, once the block
// is whole.
type AssistantText struct {
	Text    string // at most 1 KiB
	Message string // blocks of one message share it
	Parent  string // set for a subagent's text
}

// DeniedByAgent reports that the agent refused a tool call without asking: because of a rule
// that it was given or has of its own, or of its mode.
type DeniedByAgent struct {
	Tool, ToolUse string
	Reason        string // kind of reason as the agent names it, for example "rule"
	Message       string // one line of at most 200 characters
}

// ToolRunning reports that a tool call is open from here on.
type ToolRunning struct{ ID, Tool, Parent string }

// CommandForged reports a shell command that the agent ran because of a line in its input.
// The daemon sends no such line. Key is that of the line; old versions echo messages of
// ours, which may look like one.
type CommandForged struct{ Key, Command string }

// CommandsChanged reports that the agent has loaded other commands or skills than before. It
// does so by itself when it reads files below its directory.
type CommandsChanged struct{}

// ToolDone reports that a tool call is no longer open.
type ToolDone struct {
	ID, Tool, Parent string
	IsError          bool
	Lost             bool // the process ended first: the outcome is unknown
	Verdict          Verdict
}

// Verdict is what the agent reports about the permission of a finished call.
type Verdict uint8

// The verdicts. Old versions of the agent report no source.
const (
	VerdictUnknown Verdict = iota
	VerdictHost            // a permission answer allowed it
	VerdictOther           // its own rules, a hook or a refusal decided
)

// ToolProgress is a sign of life of a tool call.
type ToolProgress struct {
	ID, Tool string
	Elapsed  time.Duration
}

func (Draft) item()               {}
func (TurnStarted) item()         {}
func (InputState) item()          {}
func (TurnEnded) item()           {}
func (StatusHint) item()          {}
func (SessionStateChanged) item() {}
func (PermissionAsked) item()     {}
func (PermissionWithdrawn) item() {}
func (ControlAsked) item()        {}
func (ControlAnswered) item()     {}
func (ModeChanged) item()         {}
func (AgentSessionChanged) item() {}
func (BackgroundTasks) item()     {}
func (MemoryReset) item()         {}
func (Compacted) item()           {}
func (CompactionFailed) item()    {}
func (RetryWait) item()           {}
func (RateLimited) item()         {}
func (AssistantText) item()       {}
func (DeniedByAgent) item()       {}
func (ToolRunning) item()         {}
func (ToolDone) item()            {}
func (ToolProgress) item()        {}
func (CommandsChanged) item()     {}
func (CommandForged) item()       {}
