package proxied

import (
	"slices"

	"betcode/messages"
)

// What is known of the messages for an agent under a proxy. They are sent under increasing numbers, and proxies and agents keep the
// order. No proxy recognises a message that it has had.

// Unrepeated lists the messages that the agent may repeat, in order.
func Unrepeated(inputs []messages.InputRecord) []Prompt {
	var waiting []Prompt
	for _, in := range inputs {
		if in.Run != 0 && in.State < messages.InputFolded {
			waiting = append(waiting, Prompt{Key: in.Key, Content: in.Content})
		}
	}
	return waiting
}

// Answered lists the messages that a turn has answered: those that the agent has. A command without a turn is not repeated; it
// answers the oldest.
func Answered(inputs []messages.InputRecord, command bool) []string {
	var answered []string
	for _, in := range inputs {
		if in.State >= messages.InputStarted {
			answered = append(answered, in.Key)
		}
	}
	if len(answered) > 0 || !command {
		return answered
	}
	if i := slices.IndexFunc(inputs, acknowledged); i >= 0 {
		return []string{inputs[i].Key}
	}
	return nil
}

// acknowledged reports whether the proxy has a message and its agent has not repeated it.
func acknowledged(in messages.InputRecord) bool { return in.State == messages.InputQueued }

// Acknowledged lists the messages up to a number that a proxy has acknowledged and its agent has not repeated.
func Acknowledged(inputs []messages.InputRecord, upTo uint64) []messages.InputRecord {
	return selected(inputs, func(in messages.InputRecord) bool { return acknowledged(in) && in.Number <= upTo })
}

// Doubtful reports whether a message may have arrived on an earlier connection: messages up to that number may.
func Doubtful(in messages.InputRecord, upTo uint64) bool {
	return in.State == messages.InputAccepted && in.Run != 0 && in.Number <= upTo
}

// NewestSent returns the number of the newest message that was sent and is not acknowledged, 0 without one.
func NewestSent(inputs []messages.InputRecord) uint64 {
	var newest uint64
	for _, in := range inputs {
		if in.State == messages.InputAccepted && in.Run != 0 {
			newest = max(newest, in.Number)
		}
	}
	return newest
}

// TakenBy returns what an acknowledgement says of the messages that it covers: the one that the agent cannot get, and those whose
// state changes. byAgent says that this proxy acknowledges what its agent has.
func TakenBy(inputs []messages.InputRecord, f messages.ProxyInputTaken, byAgent bool) (lost, changed []messages.InputRecord) {
	state := messages.InputQueued
	if f.ByAgent || byAgent {
		state = messages.InputStarted
	}
	for _, in := range inputs {
		switch {
		case in.Number > f.Number || in.Run == 0: // what no proxy was sent, none has
		case f.Failed && in.Number == f.Number:
			lost = append(lost, in)
		case in.State < state:
			in.State = state
			changed = append(changed, in)
		}
	}
	return lost, changed
}

func selected(inputs []messages.InputRecord, is func(messages.InputRecord) bool) []messages.InputRecord {
	var found []messages.InputRecord
	for _, in := range inputs {
		if is(in) {
			found = append(found, in)
		}
	}
	return found
}

// Due lists the messages that a connected proxy is to be sent: in order, up to the first that is [Doubtful], which later ones do not
// overtake.
func Due(inputs []messages.InputRecord, doubtful uint64) []messages.InputRecord {
	if i := slices.IndexFunc(inputs, func(in messages.InputRecord) bool { return Doubtful(in, doubtful) }); i >= 0 {
		inputs = inputs[:i]
	}
	return selected(inputs, func(in messages.InputRecord) bool { return in.State == messages.InputAccepted && in.Run == 0 })
}

// maxAsked bounds the requests of the agent that are known when they are repeated.
const maxAsked = 16

// Asked notes a request of the agent, and reports whether it is a new one: a gateway repeats requests that may not be stored.
func Asked(p messages.ProxyRecord, f messages.ProxyAsked) (messages.ProxyRecord, bool) {
	name := nameOf(f)
	if slices.Contains(p.Asked, name) {
		return p, false
	}
	p.Asked = append(slices.Clone(p.Asked[max(0, len(p.Asked)-maxAsked+1):]), name)
	return p, true
}
