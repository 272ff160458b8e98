package session

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/session/durable"
	"betcode/messages"
)

// durability is what a session knows of its journal: what was read, what is being written, and the failure or damage. See
// degraded.go and damaged.go.
type durability struct {
	durable.Log[act.Effect]

	loaded  bool            // everything the journal knows has been read
	early   []early         // messages that came before
	failure *messages.Error // why the journal cannot be written; nil: it can
	damage  *damaged        // the journal cannot load the session; nil: it can, or was not asked
}

// early is a message that came before the session was loaded.
type early struct {
	from    *actor.PID
	message any
}

// afterEnd returns the state of a session that does not exist any more. It counts commits from where it was, and pending effects
// are still performed.
func (s *state) afterEnd(log durable.Log[act.Effect]) state {
	next := state{id: s.id, options: s.options, durable: durability{Log: log, loaded: true}}
	next.record.ID = s.id
	return next
}

// committed performs what waited for a commit.
func (s state) committed(m messages.Committed) (state, []act.Effect) {
	return s, s.durable.Committed(m.Commit)
}
