package session

import (
	"slices"

	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/messages"
)

// inputLong keeps a line that does not fit into the pipe for a moment without a
// turn: a kill in the middle of it would tear it, and a inputTorn line ends the agent.
func (t *transition) inputLong(m run.InputTooLong) {
	if m.Run != t.s.record.Run || t.s.input(m.Key) < 0 {
		return
	}
	t.s.agent.long = append(slices.Clone(t.s.agent.long), m.Key)
	t.deliverLong()
}

// deliverLong writes the long lines, between durable marks, if no turn runs.
func (t *transition) deliverLong() {
	if t.s.record.Turn && !t.s.stalled() || len(t.s.agent.long) == 0 || !t.s.agent.up {
		return
	}
	for _, key := range t.s.agent.long {
		in := t.s.inputs[t.s.input(key)]
		in.State, in.Run = messages.InputWriting, t.s.record.Run
		t.putInput(in)
		line, err := claude.UserLine(in.Key, in.Content, in.Attachments)
		if err != nil {
			panic("encode accepted input: " + err.Error())
		}
		t.sendToAgent(run.WriteInput{Key: key, Line: line, Long: true})
	}
	t.s.agent.long = nil
}
