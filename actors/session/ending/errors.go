package ending

import "betcode/messages"

// Errors of requests that meet the end of an agent. The caller decides when.

// StoppingError refuses what needs an agent while that is being stopped; again says what to do, as in "try again".
func StoppingError(op, again string) *messages.Error {
	return messages.Errorf(op, messages.Unavailable, "the agent is being stopped").WithHint(again + " in a moment")
}

// NotRestartedError answers a request that has waited for a restart.
func NotRestartedError(id messages.SessionID, why string) *messages.Error {
	return messages.Errorf("restart session", messages.Unavailable, "the agent was not started again: %s", why).With("session_id", string(id))
}

// UnsavedError answers a request to stop the session whose wish could not be saved anywhere.
func UnsavedError(id messages.SessionID, cause error) *messages.Error {
	return (&messages.Error{Op: "stop session", Kind: messages.Unavailable, Code: messages.StorageError, Err: cause}).
		With("session_id", string(id)).
		WithHint("the agent is ended all the same; a daemon that is started again before it can write may not know that")
}
