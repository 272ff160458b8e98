package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// effect is something a step wants done. Steps only describe effects; the
// actor's shell carries them out, in order.
type effect interface{ effect() }

// reply answers a request. A reply to nobody is dropped by the shell.
type reply struct {
	to   *actor.PID
	with any
}

func (reply) effect() {}

// wakeAfter sends the actor a message after a delay.
type wakeAfter struct {
	delay   time.Duration
	message any
}

func (wakeAfter) effect() {}
