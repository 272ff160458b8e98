package act

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"betcode/supervision"
)

// Common is what the system gives to every actor. The Deps of an actor embed it.
type Common struct {
	Tree    *supervision.Tree
	Policy  supervision.Policy // of restarts after a crash
	Workers *Workers
	Now     func() time.Time
	Log     func(span string) *zerolog.Logger // span is a place in the tree, such as "session/<id>/run/3"
}

// Props describes an actor of a kind that is restarted after a crash.
func (c Common) Props(kind string, produce func() actor.Actor) *actor.Props {
	return c.Tree.Props(kind, c.Policy, produce)
}
