package messages

import (
	"errors"
	"fmt"
)

// Kind classifies an error for the code that reacts to it. The gateway has one
// table from kinds to gRPC codes; add only at the end.
type Kind uint8

// The kinds, in the order of the error catalogue of the gRPC API document.
const (
	Internal         Kind = iota // a bug of ours
	Invalid                      // the request is malformed: fix it, do not retry
	NotFound                     // no such session, permission or run
	AlreadyExists                // the object to create exists
	WrongState                   // valid, but not in this state
	Exhausted                    // a limit is reached: wait and retry
	Unavailable                  // temporarily not available: retry with backoff
	Denied                       // the caller lacks a right or the input lock
	Unauthenticated              // the caller has no valid credentials
	Aborted                      // lost to a concurrent change
	OutOfRange                   // a sequence number beyond the head
	DeadlineExceeded             // took too long
	Unimplemented                // not built or not enabled
	DataLoss                     // the journal is damaged
	Canceled                     // the caller went away
)

var kindNames = [...]string{
	"internal", "invalid", "not found", "already exists", "wrong state", "exhausted", "unavailable", "denied",
	"unauthenticated", "aborted", "out of range", "deadline exceeded", "unimplemented", "data loss", "canceled",
}

// Kinds lists every kind, so that a test can walk them.
func Kinds() []Kind {
	all := make([]Kind, len(kindNames))
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// String returns the kind's name in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Code is an application code of the error catalogue, carried in
// ErrorEvent.code and in the status details. Empty where the catalogue has none.
type Code string

// The codes of the catalogue that the daemon sends. Those marked "ours" are not in the catalogue. Its PERMISSION_TIMEOUT is never
// sent: decision 76.
const (
	SessionNotFound   Code = "SESSION_NOT_FOUND"
	SessionClosed     Code = "SESSION_CLOSED"
	SessionActive     Code = "SESSION_ACTIVE"
	NameTaken         Code = "SESSION_NAME_TAKEN" // ours
	NoInputLock       Code = "NO_INPUT_LOCK"
	PermissionStale   Code = "PERMISSION_STALE"
	PoolExhausted     Code = "POOL_EXHAUSTED"
	RateLimited       Code = "RATE_LIMITED"
	CompactionFailed  Code = "COMPACTION_FAILED"
	SubprocessCrashed Code = "SUBPROCESS_CRASHED"
	WorktreeNotFound  Code = "WORKTREE_NOT_FOUND"
	WorktreeInUse     Code = "WORKTREE_IN_USE"
	BudgetSpent       Code = "BUDGET_SPENT"
	SubagentLimit     Code = "SUBAGENT_LIMIT"
	PermissionConfig  Code = "INVALID_PERMISSION_CONFIG"
	SubagentNotFound  Code = "SUBAGENT_NOT_FOUND" // ours
	DagCycle          Code = "DAG_CYCLE"
	MergeConflict     Code = "MERGE_CONFLICT"        // ours
	NotTrusted        Code = "DIRECTORY_NOT_TRUSTED" // ours
	DiskFull          Code = "DISK_FULL"             // ours
	ClientTooSlow     Code = "CLIENT_TOO_SLOW"       // ours
	DaemonStopping    Code = "DAEMON_STOPPING"       // ours
	KeyReused         Code = "IDEMPOTENCY_KEY_USED"  // ours
	SelfApproved      Code = "SELF_APPROVED"         // ours
	ForgedRequest     Code = "FORGED_REQUEST"        // ours
	ForgedInput       Code = "FORGED_INPUT"          // ours
	ForgedFleet       Code = "FORGED_FLEET"          // ours
	AgentFrozen       Code = "AGENT_FROZEN"          // ours
	EditRefused       Code = "EDIT_REFUSED"          // ours: an edited call is denied or protected; the request still waits
	StorageError      Code = "SQLITE_ERROR"          // the catalogue's name for a failed journal operation
)

// RetryAfter is the detail with the time to wait before a retry, in milliseconds.
const RetryAfter = "retry_after_ms"

// Error is the one error type that crosses package borders.
type Error struct {
	Op      string            // what was being done: "send input", lower case
	Kind    Kind              // how to react
	Code    Code              // the catalogue's code, if it has one
	Err     error             // the cause, may be nil
	Hint    string            // what a person can do about it, one sentence; may be empty
	Details map[string]string // the catalogue's details: session_id, holder_client_id, …
}

func (*Error) message() {}
func (*Error) reply()   {}

// Error returns "op: cause", or "op: kind" without a cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Op + ": " + e.Kind.String()
	}
	return e.Op + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an [Error] of kind whose cause is formatted as by [fmt.Errorf].
func Errorf(op string, kind Kind, format string, args ...any) *Error {
	return &Error{Op: op, Kind: kind, Err: fmt.Errorf(format, args...)}
}

// WithCode returns e with the catalogue's code set.
func (e *Error) WithCode(c Code) *Error { e.Code = c; return e }

// WithHint returns e with a hint: one sentence about what a person can do.
func (e *Error) WithHint(hint string) *Error { e.Hint = hint; return e }

// With returns e with one more detail of the catalogue.
func (e *Error) With(key, value string) *Error {
	if e.Details == nil {
		e.Details = map[string]string{}
	}
	e.Details[key] = value
	return e
}

// KindOf returns the kind of the first [Error] in err's chain, [Internal] if there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// AsError returns the first [Error] in err's chain, or err as the cause of an [Internal] error of op.
func AsError(op string, err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Op: op, Kind: Internal, Err: err}
}
