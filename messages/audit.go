package messages

import (
	"strings"
	"time"
)

// AuditType is the kind of an entry of the audit log. Stored: append only.
type AuditType string

// The types.
const (
	AuditAutoApproved    AuditType = "auto_approve_tool_call" // a rule or a grant allowed a tool call
	AuditGranted         AuditType = "permission_grant"       // a tool call was allowed once, or a tool for the session
	AuditDenied          AuditType = "permission_deny"        // a person, a rule or a deadline denied one
	AuditRevoked         AuditType = "permission_revoke"      // a grant was taken back
	AuditSessionCreated  AuditType = "session_create"
	AuditSessionResumed  AuditType = "session_resume"   // an agent was started for a session that had one before
	AuditSessionComplete AuditType = "session_complete" // a session was stopped or deleted
	AuditSessionError    AuditType = "session_error"    // an agent crashed, or cannot run
	AuditRateLimited     AuditType = "rate_limit_exceeded"
	AuditAuthSuccess     AuditType = "auth_success"
	AuditAuthFailure     AuditType = "auth_failure"

	AuditSubagentSpawn    AuditType = "subagent_spawn"
	AuditSubagentComplete AuditType = "subagent_complete"
	AuditSubagentFail     AuditType = "subagent_fail"
	AuditSubagentCancel   AuditType = "subagent_cancel"
	AuditSubagentTimeout  AuditType = "subagent_timeout"     // its deadline passed, and the daemon ended its agent
	AuditToolUnknown      AuditType = "tool_validation_fail" // a subagent was to have a tool that does not exist

	AuditTurnCanceled AuditType = "turn_cancel"  // ours: a client interrupted a turn
	AuditRules        AuditType = "rules_change" // ours: the permission rules were read again and have changed

	AuditFleetStopped          AuditType = "fleet_stop"           // ours: a client ended all agents; none starts
	AuditFleetResumed          AuditType = "fleet_resume"         // ours: a client lets agents start again
	AuditOrchestrationCreated  AuditType = "orchestration_create" // ours: a client started a plan
	AuditOrchestrationCanceled AuditType = "orchestration_cancel" // ours: a client stopped one, or a step of it
	AuditOrchestrationRetried  AuditType = "orchestration_retry"  // ours: a client started steps again
	AuditOrchestrationPaused   AuditType = "orchestration_pause"  // ours: a client lets no further step start
	AuditOrchestrationResumed  AuditType = "orchestration_resume" // ours: a client lets steps start again
	AuditBudgetChanged         AuditType = "budget_change"        // ours: a client changed how much a session may consume

	AuditWorktreeCreated        AuditType = "worktree_create"       // ours: a client or a plan created a worktree
	AuditWorktreeRemoved        AuditType = "worktree_remove"       // ours: a client removed one
	AuditWorktreePruned         AuditType = "worktree_prune"        // ours: the daemon removed one that was unused for long
	AuditWorktreeSwitched       AuditType = "worktree_switch"       // ours: a client made one the active worktree
	AuditWorktreeSetUp          AuditType = "worktree_setup"        // ours: a client ran the setup of one again
	AuditSetupCanceled          AuditType = "worktree_setup_cancel" // ours: a client ended the setup of one
	AuditRepositoryRegistered   AuditType = "repository_register"   // ours: a client registered a repository
	AuditRepositoryUpdated      AuditType = "repository_update"     // ours: a client changed how one is used
	AuditRepositoryUnregistered AuditType = "repository_unregister" // ours: a client removed one from the registry
	AuditBranchCreated          AuditType = "branch_create"         // ours: a client created a branch
	AuditBranchDeleted          AuditType = "branch_delete"         // ours: a client deleted one

	AuditAdmin         AuditType = "admin_call"     // ours: a call that needs the admin right
	AuditRefused       AuditType = "call_refused"   // ours: a caller lacked a right; further refusals in the same minute are counted in one entry
	AuditOpened        AuditType = "audit_open"     // ours: a daemon has opened the log
	AuditLost          AuditType = "audit_lost"     // ours: entries before this one could not be written
	AuditSelfApproved  AuditType = "self_approval"  // ours: a tool ran on an answer that the daemon did not give
	AuditForgedRequest AuditType = "forged_request" // ours: the agent obeyed a control request that the daemon did not send
	AuditForgedFleet   AuditType = "forged_fleet"   // ours: a process that is not the fleet server of a session presented its ticket
	AuditForgedInput   AuditType = "forged_input"   // ours: the agent processed a message or a command that the daemon did not send
	AuditAgentResumed  AuditType = "agent_unfrozen" // ours: a person thawed an agent that an alarm had frozen

)

// AuditTypes returns all types. A test checks that the list is complete.
func AuditTypes() []AuditType {
	return []AuditType{
		AuditAutoApproved, AuditGranted, AuditDenied, AuditRevoked, AuditSessionCreated, AuditSessionResumed, AuditSessionComplete,
		AuditSessionError, AuditRateLimited, AuditAuthSuccess, AuditAuthFailure,
		AuditSubagentSpawn, AuditSubagentComplete, AuditSubagentFail, AuditSubagentCancel, AuditSubagentTimeout, AuditToolUnknown,
		AuditTurnCanceled, AuditRules, AuditSelfApproved, AuditForgedRequest, AuditForgedInput, AuditForgedFleet, AuditAgentResumed, AuditFleetStopped, AuditFleetResumed,
		AuditOrchestrationCreated, AuditOrchestrationCanceled, AuditOrchestrationRetried, AuditOrchestrationPaused, AuditOrchestrationResumed, AuditBudgetChanged,
		AuditWorktreeCreated, AuditWorktreeRemoved, AuditWorktreePruned, AuditWorktreeSwitched, AuditWorktreeSetUp, AuditSetupCanceled,
		AuditRepositoryRegistered, AuditRepositoryUpdated, AuditRepositoryUnregistered, AuditBranchCreated, AuditBranchDeleted, AuditAdmin, AuditRefused,
		AuditOpened, AuditLost,
	}
}

// AuditOutcome is the outcome of the audited operation.
type AuditOutcome string

// The outcomes.
const (
	OutcomeSuccess AuditOutcome = "success"
	OutcomeFailure AuditOutcome = "failure"
	OutcomeDenied  AuditOutcome = "denied"
	OutcomeTimeout AuditOutcome = "timeout"
)

// Kinds of actors, for [AuditEntry.ActorType].
const (
	ActorUser   = "user"
	ActorDaemon = "daemon"
	ActorSystem = "system"
)

// AuditEntry is one line of the audit log. The reporting component fills in the fields
// that it knows; the log adds the rest (see persistence/audit). The log stores no keys,
// tokens or payloads: of Input it stores a hash and a masked beginning.
type AuditEntry struct {
	ID           uint64            `json:"id"`       // by the log: consecutive
	EventID      string            `json:"event_id"` // by the log: a UUIDv7
	Type         AuditType         `json:"event_type"`
	Severity     string            `json:"severity"` // by the log: info, warn, error
	Session      SessionID         `json:"session_id,omitempty"`
	Subagent     string            `json:"subagent_id,omitempty"`
	Parent       SessionID         `json:"parent_session_id,omitempty"`
	ActorType    string            `json:"actor_type"`
	ActorID      string            `json:"actor_id,omitempty"` // of a user: the client id that the caller sent
	Tool         string            `json:"tool_name,omitempty"`
	Input        []byte            `json:"-"`
	InputHash    string            `json:"input_sha256,omitempty"`  // by the log: hexadecimal
	InputPreview string            `json:"input_preview,omitempty"` // by the log: at most 256 characters
	Outcome      AuditOutcome      `json:"outcome"`
	ErrorCode    string            `json:"error_code,omitempty"`
	ErrorMessage string            `json:"error_message,omitempty"`
	Context      map[string]string `json:"context,omitempty"`
	ClientIP     string            `json:"client_ip,omitempty"` // empty for the Unix socket
	CreatedAt    time.Time         `json:"created_at"`          // by the log
	ExpiresAt    time.Time         `json:"expires_at"`          // by the log: the entry may be removed afterwards
}

// AuditFilter selects entries; the zero value selects all.
type AuditFilter struct {
	Since   time.Time
	Types   []AuditType
	Session SessionID
}

// AuditSeverity returns the severity of an entry: "error" for alarms, lost entries,
// unknown tools and timeouts; "warn" for calls that no person approved, failures, limits,
// refused callers, revocations and cancellations; "info" otherwise.
func AuditSeverity(e AuditEntry) string {
	switch {
	case e.Outcome == OutcomeTimeout, e.Type == AuditToolUnknown, e.Type == AuditLost, e.Type == AuditSelfApproved, e.Type == AuditForgedRequest, e.Type == AuditForgedInput,
		e.Type == AuditForgedFleet:
		return "error"
	case e.Type == AuditAutoApproved, e.Type == AuditRevoked, e.Type == AuditRateLimited, e.Type == AuditSessionError,
		e.Type == AuditAuthFailure, e.Type == AuditRefused, e.Outcome == OutcomeFailure, strings.HasSuffix(string(e.Type), "_cancel"):
		return "warn"
	}
	return "info"
}
