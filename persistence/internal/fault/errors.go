package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"betcode/messages"
)

// The operations, for [messages.Error].Op.
const (
	OpOpen       = "open journal"
	OpClose      = "close journal"
	OpAppend     = "append to journal"
	OpTry        = "try journal"
	OpLoad       = "load session"
	OpEvents     = "read events"
	OpHead       = "find head"
	OpSessions   = "list sessions"
	OpResolve    = "find session"
	OpUnfinished = "find unfinished sessions"
	OpPending    = "list permissions"
	OpSeen       = "look up key"
	OpSeal       = "seal journal"
	OpCheckpoint = "checkpoint journal"
	OpStats      = "count journal"
	OpVerify     = "verify journal"
	OpRetain     = "drop old history"
	OpBackup     = "back up journal"
	OpRestore    = "restore journal"
	OpSweep      = "sweep payloads"
	OpRewrite    = "rewrite journal file"
	OpReopen     = "open journal again"
	OpRepair     = "repair journal"
	OpMigrate    = "migrate journal"
)

// Storage returns the error of a failed disk or system. It returns a [messages.Error]
// unchanged.
func Storage(op string, cause error) error {
	var e *messages.Error
	if errors.As(cause, &e) {
		return cause
	}
	return (&messages.Error{Op: op, Kind: messages.Unavailable, Err: cause}).
		WithCode(messages.StorageError).WithHint(hintFor(cause))
}

// hintFor returns the hint for an error of the system.
func hintFor(cause error) string {
	switch {
	case errors.Is(cause, syscall.EROFS):
		return hintReadOnly
	case errors.Is(cause, fs.ErrPermission):
		return hintDenied
	}
	return HintDisk
}

// DamagedFile returns the error of a file that differs from what was written.
func DamagedFile(op, name string, cause error) *messages.Error {
	return (&messages.Error{Op: op, Kind: messages.DataLoss, Err: fmt.Errorf("%s: %w", name, cause)}).
		WithCode(messages.StorageError).WithHint(HintDamaged).With("file", name)
}

// InUse returns the error of a journal that another process has open.
func InUse(op, path string) *messages.Error {
	return messages.Errorf(op, messages.Unavailable, "another daemon uses %s", path).WithCode(messages.StorageError).
		WithHint("Stop the other daemon, or give this one a state directory of its own.")
}

// Closed returns the error of a closed journal.
func Closed(op string) *messages.Error {
	return messages.Errorf(op, messages.Unavailable, "the journal is closed").WithCode(messages.StorageError)
}

// ReadOnly returns the error of a write to a journal that was opened for reading only.
func ReadOnly(op string) *messages.Error {
	return messages.Errorf(op, messages.WrongState, "the journal was opened to be read only").WithCode(messages.StorageError)
}

// Again returns a copy of e for another receiver, which may add details to it.
func Again(op string, e *messages.Error) *messages.Error {
	return &messages.Error{Op: op, Kind: e.Kind, Code: e.Code, Err: e.Err, Hint: e.Hint}
}

// About returns err with the session that it concerns.
func About(id messages.SessionID, err error) error {
	return As(err).With("session_id", string(id))
}

// As returns err as the type that crosses package borders.
func As(err error) *messages.Error {
	var e *messages.Error
	if errors.As(err, &e) {
		return e
	}
	return &messages.Error{Op: OpAppend, Kind: messages.Internal, Err: err}
}
