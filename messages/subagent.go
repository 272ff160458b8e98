package messages

import (
	"strings"
	"time"
)

// Messages about subagents. A subagent is a session with a parent session. Its id is the id of its session. Its state
// is part of the [SessionRecord], so it survives whatever the session survives.

// SpawnSubagent creates a session with its first prompt, in one append. Answered with [SubagentSpawned] when both are
// durable. A repetition with the same Subagent gets the answer of the first request; another request with it is refused
// with [AlreadyExists].
type SpawnSubagent struct {
	ask
	Subagent SessionID // a UUID; the gateway makes one if the client has none
	Parent   SessionID
	Client   ClientID
	Prompt   string

	Name             string // empty = the beginning of Prompt
	Model            string // empty = the parent's
	WorkingDirectory string // empty = the worktree's, or the parent's
	WorktreeID       string
	Lease            LeaseMode // of the worktree; WorktreeID is then required
	Tools            []string  // as permission rules name them; empty = as any session
	MaxTurns         uint32    // requests to the model that one message may cause; 0 is no limit
	BudgetUSD        float64   // 0 is no limit
	Environment      map[string]string
	Timeout          time.Duration // 0 = none
	AutoApprove      bool
	Auto             AutoApproveLimits
	InheritGrants    bool // copy the parent's present grants
	Forward          bool `json:",omitempty"` // also show its requests to clients of the parent; absent from digests of older requests
	Step             StepAttempt
	Budget           *BudgetLimit `json:",omitempty"` // budget at which it pauses and asks; nil = that of the settings; absent from the digest if nil
}

// AutoApproveLimits bound the calls that are approved without a person.
type AutoApproveLimits struct {
	Duration  time.Duration // from the spawn; 0 = setting subagents.auto_approve_time
	PerMinute uint32        // calls in each minute since the spawn; 0 = 60
	Queue     bool          // a call above PerMinute waits; otherwise it is denied
	Unfenced  bool          // the agent runs without a fence
}

// StepAttempt is the attempt of an orchestration's step that a subagent executes. The zero value means none.
type StepAttempt struct {
	Orchestration string
	Step          string
	Attempt       uint32 // from 1
}

// SubagentSpawned answers [SpawnSubagent].
type SubagentSpawned struct {
	answer
	Subagent SessionID
	Fenced   bool // a fence keeps its writes in its working directory
}

// BeginSubagent is a [SpawnSubagent] that the daemon has checked and completed. Sent to the session of the subagent.
// Answered with [SubagentSpawned].
type BeginSubagent struct {
	ask
	Start    StartSession   // its Session is the subagent
	Subagent SubagentRecord // as it begins
	Grants   map[string]bool
	Key      string // idempotency key of the first prompt
	Fenced   bool   // for the answer
	Prompt   string
}

// NoSubagent returns the error for an unknown subagent.
func NoSubagent(op string, id SessionID) *Error {
	return Errorf(op, NotFound, "there is no subagent %s", id).WithCode(SubagentNotFound).With("subagent_id", string(id)).
		WithHint("list them: betcode subagent list")
}

// Target implements [SessionRequest].
func (m BeginSubagent) Target() SessionID { return m.Start.Session }

// SendToSubagent is [SendInput] for a subagent. One that has ended refuses it with [WrongState]. Answered with
// [InputAcknowledged].
type SendToSubagent struct {
	ask
	Input SendInput
}

// Target implements [SessionRequest].
func (m SendToSubagent) Target() SessionID { return m.Input.Session }

// CancelSubagent ends a subagent. Answered with [SubagentCanceled] when its agent has ended.
type CancelSubagent struct {
	ask
	Subagent        SessionID
	Client          ClientID
	Reason          string
	Force           bool // SIGKILL at once
	CleanupWorktree bool // remove its worktree with everything in it; done by package actors
}

// Target implements [SessionRequest].
func (m CancelSubagent) Target() SessionID { return m.Subagent }

// SubagentCanceled answers [CancelSubagent].
type SubagentCanceled struct {
	answer
	Canceled     bool // false: it had ended before
	Status       SubagentStatus
	ToolCalls    uint32
	AutoApproved uint32
	Worktree     string // id of the worktree that it works in
}

// RevokeAutoApprove revokes the auto-approval of a subagent. Answered with [AutoApproveRevoked].
type RevokeAutoApprove struct {
	ask
	Subagent  SessionID
	Client    ClientID
	Reason    string
	Terminate bool // end the agent if an approved call runs
}

// Target implements [SessionRequest].
func (m RevokeAutoApprove) Target() SessionID { return m.Subagent }

// AutoApproveRevoked answers [RevokeAutoApprove].
type AutoApproveRevoked struct {
	answer
	Revoked bool // false: the subagent has ended, or had no auto-approval
	Pending int  // approved calls that had not returned
	Status  SubagentStatus
}

// ListSubagents asks for the known subagents, oldest first. Answered with [SubagentList], from the journal.
type ListSubagents struct {
	ask
	Parent        SessionID // empty = any
	Orchestration string    // empty = any
	Status        SubagentStatus
}

// SubagentList answers [ListSubagents]. Each record has a Subagent.
type SubagentList struct {
	answer
	Subagents []SessionRecord
}

// SubagentStatus is how far a subagent has come. Stored, and numbered as the enum of the API: append only.
type SubagentStatus uint8

// The statuses. The last three are final.
const (
	SubagentAny       SubagentStatus = 0 // in a filter
	SubagentPending   SubagentStatus = 1 // its agent has not started the first prompt
	SubagentRunning   SubagentStatus = 2
	SubagentCompleted SubagentStatus = 3
	SubagentFailed    SubagentStatus = 4
	SubagentCancelled SubagentStatus = 5
)

var subagentStatuses = [...]string{"", "pending", "running", "completed", "failed", "cancelled"}

// String returns the status as in filters and answers of the API.
func (s SubagentStatus) String() string {
	if int(s) < len(subagentStatuses) {
		return subagentStatuses[s]
	}
	return "unknown"
}

// Final reports whether the status is final.
func (s SubagentStatus) Final() bool { return s >= SubagentCompleted }

// ParseSubagentStatus returns the status that a filter names; the empty one is [SubagentAny].
func ParseSubagentStatus(text string) (SubagentStatus, error) {
	for i, name := range subagentStatuses {
		if text == name {
			return SubagentStatus(i), nil //nolint:gosec // there are six
		}
	}
	return SubagentAny, Errorf("list subagents", Invalid, "%.32q is no status of a subagent", text).
		WithHint("name pending, running, completed, failed or cancelled, or none for all")
}

// SubagentRecord is the part of a [SessionRecord] about a subagent. It is written with each change of the session, so
// it is small.
type SubagentRecord struct {
	Parent SessionID
	Depth  uint32 // 1 for a subagent whose parent is not a subagent
	Digest []byte // of the request that spawned it
	Prompt string // the beginning of it, at most 1 KiB

	Tools     []string // as permission rules name them; empty = as any session
	MaxTurns  uint32
	BudgetUSD float64
	Lease     LeaseMode
	Forward   bool // also show its requests to clients of the parent
	Step      StepAttempt
	Deadline  time.Time // when it fails; zero = never
	Auto      AutoApprove

	Status SubagentStatus
	Ending SubagentEnding // how it ends when its agent has ended; zero while it runs
	Result string         // last text of the model, or why it failed or was cancelled; at most 4 KiB
	Exit   int32          // exit code of its agent; 0 if it completed, 1 if it did not exit by itself

	CompletedAt time.Time // zero before its end
	EndSeq      Seq       // number of the event that ended it; 0 before

	ToolCalls    uint32
	AutoApproved uint32
}

// SubagentEnding is how a subagent ends when its agent has ended. The zero value means none.
type SubagentEnding struct {
	Status SubagentStatus
	Reason string
}

// AutoApprove is the permission of a subagent to run calls without the approval of a person. The
// zero value means none.
type AutoApprove struct {
	Given     bool
	Since     time.Time // of the spawn: minutes are counted from there
	Until     time.Time
	PerMinute uint32
	Queue     bool
	Fence     bool // its agent is fenced regardless of the setting

	Minute uint64 // the minute of the last approved call, counted from Since
	Used   uint32 // approved calls in that minute

	Revoked   bool
	RevokedBy ClientID
	Why       string
}

// Requests of a subagent with Forward are also shown by the sessions above it, under an id that names the subagent.
// Only the subagent's session has the record and decides it, whichever id an answer names.

// forwardMark separates the session from its request. An agent's own request must not contain it.
const forwardMark = "~"

// ForwardedID returns the id under which sessions above a subagent show a request of it.
func ForwardedID(subagent SessionID, request RequestID) RequestID {
	return RequestID(subagent) + forwardMark + request
}

// ParseForwarded returns the subagent and the request of a forwarded id, and whether it is one.
func ParseForwarded(id RequestID) (subagent SessionID, request RequestID, ok bool) {
	before, after, ok := strings.Cut(string(id), forwardMark)
	return SessionID(before), RequestID(after), ok
}
