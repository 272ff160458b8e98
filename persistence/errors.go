package persistence

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"betcode/messages"
)

// What was being done, for [messages.Error].Op.
const (
	opOpen       = "open journal"
	opClose      = "close journal"
	opAppend     = "append to journal"
	opTry        = "try journal"
	opLoad       = "load session"
	opEvents     = "read events"
	opHead       = "find head"
	opSessions   = "list sessions"
	opResolve    = "find session"
	opUnfinished = "find unfinished sessions"
	opPending    = "list permissions"
	opSeen       = "look up key"
	opSeal       = "seal journal"
	opCheckpoint = "checkpoint journal"
	opStats      = "count journal"
	opVerify     = "verify journal"
	opRetain     = "drop old history"
	opBackup     = "back up journal"
	opRestore    = "restore journal"
	opSweep      = "sweep payloads"
	opRewrite    = "rewrite journal file"
)

// storageError says that the disk, or the system before it, failed. An error of
// ours is returned as it is.
func storageError(op string, cause error) error {
	var e *messages.Error
	if errors.As(cause, &e) {
		return cause
	}
	return (&messages.Error{Op: op, Kind: messages.Unavailable, Err: cause}).
		WithCode(messages.StorageError).WithHint(hintFor(cause))
}

// hintFor says what a person can do about an error of the system.
func hintFor(cause error) string {
	switch {
	case errors.Is(cause, syscall.EROFS):
		return hintReadOnly
	case errors.Is(cause, fs.ErrPermission):
		return hintDenied
	}
	return hintDisk
}

// damagedFile says that a file is not what was written.
func damagedFile(op, name string, cause error) *messages.Error {
	return (&messages.Error{Op: op, Kind: messages.DataLoss, Err: fmt.Errorf("%s: %w", name, cause)}).
		WithCode(messages.StorageError).WithHint(hintDamaged).With("file", name)
}

func inUse(op, path string) *messages.Error {
	return messages.Errorf(op, messages.Unavailable, "another daemon uses %s", path).WithCode(messages.StorageError).
		WithHint("Stop the other daemon, or give this one a state directory of its own.")
}

func closed(op string) *messages.Error {
	return messages.Errorf(op, messages.Unavailable, "the journal is closed").WithCode(messages.StorageError)
}

func readOnly(op string) *messages.Error {
	return messages.Errorf(op, messages.WrongState, "the journal was opened to be read only").WithCode(messages.StorageError)
}

// again returns a copy of e for another receiver, who may add details to it.
func again(op string, e *messages.Error) *messages.Error {
	return &messages.Error{Op: op, Kind: e.Kind, Code: e.Code, Err: e.Err, Hint: e.Hint}
}

// about returns err with the session it is about.
func about(id messages.SessionID, err error) error {
	return asError(err).With("session_id", string(id))
}

// asError returns err as the type that crosses package borders.
func asError(err error) *messages.Error {
	var e *messages.Error
	if errors.As(err, &e) {
		return e
	}
	return &messages.Error{Op: opAppend, Kind: messages.Internal, Err: err}
}
