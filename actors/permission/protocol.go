package permission

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/messages"
)

// Changed has the newest record of a request. The session sends it to the request's actor.
type Changed struct{ Record messages.PermissionRecord }

// Messages of the actor to its session.
type (
	// Decided is a decision, or an answer that came after it. From is the address of the caller that waits for the outcome;
	// nil for the deadline.
	Decided struct {
		messages.PermissionDecided

		From *actor.PID
	}
	// ReminderDue reports that an undecided request has reached an age at which people are reminded. Number counts from 1.
	ReminderDue struct {
		Request messages.RequestID
		Number  int
	}
	// AnswerExpired reports that a kept answer has outlived the TTL of its request: the agent never asked again.
	AnswerExpired struct{ Request messages.RequestID }
)
