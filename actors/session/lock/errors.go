package lock

import "betcode/messages"

// Errors of requests that the input lock refuses. The caller decides when.

// ObserverError refuses the lock to an observer.
func ObserverError(op string, id messages.SessionID) *messages.Error {
	return messages.Errorf(op, messages.WrongState, "this client is attached as an observer").
		With("session_id", string(id)).WithHint("attach without observer to write")
}

// NoStreamError refuses to wait for the lock without a stream: the client could not use the lock.
func NoStreamError(op string, id messages.SessionID, holder messages.ClientID) *messages.Error {
	return messages.Errorf(op, messages.WrongState, "this client has no stream on the session, and another client holds the lock").
		With("session_id", string(id)).With("holder_client_id", string(holder)).WithHint("open a Converse stream on the session, then request the lock")
}

// FullError refuses a further client that would wait for the lock.
func FullError(op string) *messages.Error {
	return messages.Errorf(op, messages.Exhausted, "%d clients wait for the input lock", MaxWaiters).WithHint("try again later, or watch only")
}

// NotHolderError refuses what only the holder is asked for.
func NotHolderError(op string, holder messages.ClientID) *messages.Error {
	return messages.Errorf(op, messages.WrongState, "this client does not hold the input lock").
		With("holder_client_id", string(holder)).WithHint("only its holder is asked for it")
}

// Writer is what is known of a client that may not write.
type Writer struct {
	Holder   messages.ClientID // of the lock
	Observes bool              // the client is an observer
	Reserved bool              // the lock is reserved for its holder from before a crash: that ends soon
}

// NoLockError refuses the write of a client without the lock.
func NoLockError(op string, id messages.SessionID, w Writer) *messages.Error {
	told, hint := "another client holds the input lock", "request the input lock, or watch only"
	if w.Observes {
		told, hint = "an observer never holds the input lock", "attach without observer to write"
	}
	e := messages.Errorf(op, messages.Denied, "%s", told).WithCode(messages.NoInputLock).
		With("holder_client_id", string(w.Holder)).With("session_id", string(id)).WithHint(hint)
	if w.Reserved && !w.Observes {
		e = e.With("lock_reserved", "true")
	}
	return e
}
