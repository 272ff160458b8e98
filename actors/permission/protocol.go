package permission

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/messages"
)

// Changed gives an actor the newest record of its request. Sent by the session.
type Changed struct{ Record messages.PermissionRecord }

// Messages of the actor to its session.
type (
	// Decided is a decision, or an answer that came after it. From is the address that waits for the outcome; nil for the
	// deadline.
	Decided struct {
		messages.PermissionDecided

		From *actor.PID
	}
	// ReminderDue says that an undecided request has waited so long that people are reminded. Number counts from 1.
	ReminderDue struct {
		Request messages.RequestID
		Number  int
	}
	// AnswerExpired says that a kept answer has outlived the time to live of its request: the agent never asked again.
	AnswerExpired struct{ Request messages.RequestID }
)
