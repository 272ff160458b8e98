package act

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// Effect is an action that a step requests, as data. The actor performs the effects of a step in order.
type Effect interface{ Effect() }

// Reply answers a request. A reply without an address is dropped.
type Reply struct {
	To   *actor.PID
	With any
}

// Effect marks a reply as an effect.
func (Reply) Effect() {}

// After has the actor get a message after a delay.
type After struct {
	Delay   time.Duration
	Message any
}

// Effect marks a delayed message as an effect.
func (After) Effect() {}

// Send delivers a message or an answer. A nil address or message is dropped: the actor library panics on the one and spins
// on the other.
func Send(ctx actor.Context, to *actor.PID, message any) {
	if to != nil && message != nil {
		ctx.Request(to, message)
	}
}
