package session

import (
	"slices"

	"pgregory.net/rapid"

	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/messages"
)

// agentProcess is an agent as the operating system and its spool show it.
type agentProcess struct {
	run      messages.RunNumber
	alive    bool
	exit     messages.Exit
	spool    []claude.Item // each is ten bytes
	inbox    []string      // keys of messages that were written to it
	begun    []string      // keys of messages that it says it works on, truly or not
	turn     bool
	stopping bool
	barriers []string
	open     []string // its requests for permission
}

// runActor is the actor of a run.
type runActor struct {
	spawn  spawnRun
	opened bool
	over   bool
	offset int64
}

// order is what the actor of a run does when it is told something.
func (w *world) order(e sendToRun) {
	if w.run == nil || w.run.spawn.record.Run != e.run || w.run.over {
		return // a dead letter
	}
	if w.agent == nil || w.agent.run != e.run || !w.agent.alive {
		return // nobody reads
	}
	switch m := e.message.(type) {
	case run.WriteInput:
		if !m.Long && rapid.IntRange(0, 5).Draw(w.t, "too long") == 0 {
			w.mailbox = append(w.mailbox, run.InputTooLong{Run: e.run, Key: m.Key})
			return
		}
		if !slices.Contains(w.agent.inbox, m.Key) { // else it is silent
			w.agent.inbox = append(w.agent.inbox, m.Key)
		}
		w.mailbox = append(w.mailbox, messages.InputWrittenTo{Run: e.run, Key: m.Key})
	case run.WriteAnswer:
		w.agent.open = slices.DeleteFunc(w.agent.open, func(id string) bool { return id == string(m.Request) })
		w.mailbox = append(w.mailbox, messages.AnswerWritten{Run: e.run, Request: m.Request})
	case run.WriteControl:
		if showOrder(m) == "barrier" {
			w.agent.barriers = append(w.agent.barriers, w.b.state.agent.barrier)
		}
	case run.Stop:
		w.agent.stopping = true
	case run.Freeze:
		held := run.Frozen{Run: e.run}
		if m.On {
			held.Why = m.Why
		}
		w.mailbox = append(w.mailbox, held)
	}
}

// open starts the process of a fresh run, or finds out what became of another.
func (w *world) open(starts bool) {
	r := w.run
	r.opened = true
	n := r.spawn.record.Run
	switch {
	case r.spawn.fresh && starts:
		w.agent = &agentProcess{run: n, alive: true}
	case r.spawn.fresh:
		w.agent = &agentProcess{run: n, exit: messages.Exit{Known: true, Code: 127, Reason: "no such program"}}
	case w.agent == nil || w.agent.run != n:
		w.agent = &agentProcess{run: n, exit: messages.Exit{Reason: run.NeverStarted}}
	}
	r.spawn.fresh = false
	if !w.agent.alive {
		return
	}
	m := w.b.up()
	m.Adopted = w.run.spawn.record.State == messages.RunRunning || w.agent.spool != nil || len(w.agent.inbox) > 0
	w.mailbox = append(w.mailbox, m)
}

// read hands over the next lines of the spool, or the end of the run.
func (w *world) read(most int) {
	r, from := w.run, w.run.offset
	for len(w.agent.spool)*10 > int(r.offset) && r.offset < from+int64(10*most) {
		r.offset += 10
	}
	if r.offset > from {
		w.mailbox = append(w.mailbox, run.Output{
			Run: w.agent.run, From: from, To: r.offset, Items: w.agent.spool[from/10 : r.offset/10], Translator: []byte{byte(r.offset)},
		})
		return
	}
	if !w.agent.alive {
		r.over = true
		w.mailbox = append(w.mailbox, messages.RunEnded{Run: w.agent.run, Exit: w.agent.exit})
	}
}

func (w *world) canRead() bool { return w.run != nil && w.run.opened && !w.run.over }

// says lets the agent write lines.
func (w *world) says(items ...claude.Item) {
	for _, item := range items {
		switch m := item.(type) {
		case claude.InputState:
			w.agent.begun = append(w.agent.begun, m.Key)
		case claude.TurnStarted:
			w.agent.turn = true
		case claude.TurnEnded:
			w.agent.turn = w.agent.turn && m.MemoryGone
		case claude.PermissionAsked:
			w.agent.open = append(w.agent.open, m.Request)
		}
	}
	w.agent.spool = append(w.agent.spool, items...)
}

func (w *world) agentLives() bool { return w.agent != nil && w.agent.alive }

func (w *world) dies(exit messages.Exit) { w.agent.alive, w.agent.exit = false, exit }
