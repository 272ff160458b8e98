package session

import (
	pb "betcode/proto/betcode/v1"

	"betcode/messages"
)

// announceRestored announces, once, that the restored session waits for a person.
func (t *transition) announceRestored() {
	if !t.s.restored() || t.s.record.Phase == messages.PhaseWaiting {
		return
	}
	t.change().Phase = messages.PhaseWaiting
	const message = "This session was restored from a backup and does not go on by itself. " +
		"Send a message, or resume or cancel its work: betcode session resume"
	details := map[string]string{"reason": messages.WaitsRestored}
	t.notice("SESSION_RESTORED", message, details)
	t.status(pb.AgentStatus_WAITING_FOR_USER, message)
	t.call("SESSION_RESTORED", message, details)
}
