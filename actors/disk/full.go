package disk

import (
	"cmp"

	"betcode/messages"
)

// FullError returns the error of a request that needs space on a full disk. where is a path on that disk.
func FullError(op string, id messages.SessionID, where string) *messages.Error {
	return messages.Errorf(op, messages.Exhausted, "the disk is nearly full").WithCode(messages.DiskFull).
		With("session_id", string(id)).
		WithHint("free some room on the disk of " + cmp.Or(where, "the state directory") + "; running agents are frozen and continue by themselves")
}
