// Package oldagent tells which messages a turn is about, for agents that do not report the state of messages: Claude Code before
// 2.1.206, see [claudecode.Capabilities]. It is pure.
//
// Such an agent takes messages in their order. A turn begins with the oldest that was written to it, and answers what had begun.
package oldagent

import (
	"slices"

	"betcode/messages"
)

// Begins returns the message that a new turn begins with, as one that has begun. It reports false if the agent has none.
func Begins(inputs []messages.InputRecord, run messages.RunNumber) (messages.InputRecord, bool) {
	for _, in := range inputs {
		if in.Run == run && in.State >= messages.InputWriting && in.State < messages.InputStarted {
			in.State = messages.InputStarted
			return in, true
		}
	}
	return messages.InputRecord{}, false
}

// Answered lists the messages that a turn has answered: those that its result names, and those that had begun. A command without a
// turn answers the oldest.
func Answered(inputs []messages.InputRecord, run messages.RunNumber, named []string) []string {
	answered := slices.Clone(named)
	var oldest string
	for _, in := range inputs {
		switch {
		case in.Run != run || in.State < messages.InputWriting:
		case in.State >= messages.InputStarted && !slices.Contains(answered, in.Key):
			answered = append(answered, in.Key)
		case oldest == "":
			oldest = in.Key
		}
	}
	if len(answered) == 0 && oldest != "" {
		answered = append(answered, oldest)
	}
	return answered
}
