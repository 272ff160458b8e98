package run

import (
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/control"
	"betcode/messages"
	"betcode/messages/claudecode"
)

// maxCredits is how many uncommitted batches of lines a run may have: one that is being
// committed, and one that is translated meanwhile. A batch is at most one read of the spool,
// so the uncommitted output of a session is bounded, and an agent with much output cannot
// fill more than its share of a transaction.
const maxCredits = 2

type phase uint8

const (
	phaseOpening  phase = iota // being spawned or adopted
	phaseLive                  // reading on
	phaseDraining              // the process has ended; its spool is read to the end
	phaseOver
)

// state is the state of one incarnation of the agent process.
//
//	opening ──► live ──► draining ──► over
//	    │                   ▲
//	    └───────────────────┘  it was never started, or ended unseen
type state struct {
	now        time.Time // of the present step
	record     messages.RunRecord
	offset     int64 // of the next line to read
	translator claude.State
	phase      phase
	can        claudecode.Capabilities // of the process
	credits    int
	reading    bool
	more       bool      // the spool may hold more than the newest read has seen
	unsent     []writing // lines that wait until the pipe is open
	exit       messages.Exit
	stderr     string // the end of the agent's standard error
	damage     string // why the spool cannot be read any further; the run ends with its process
	stopping   bool
	how        StopKind
	interrupt  string // id of the interrupt that waits for the end of its turn

	interrupting     bool    // an interrupt was requested, and the turn has not ended
	reasons          Reasons // present reasons to freeze the agent
	frozen           Reasons // reasons for which it is frozen
	freezes          uint64  // how often it was frozen
	quota            quota
	outputUnreadable outputUnreadable
	pausing          bool  // reading pauses, see pace.go
	doubted          bool  // the agent took no line: it has ended, or closed its stdin
	archived         int64 // offset up to which the spool is archived, or an archive was requested
}

// control returns the id of a control request that the run itself makes.
func (s state) control(kind string) string {
	return control.ID(&s.record, kind+"-"+strconv.FormatInt(s.now.UnixNano(), 36))
}

// step handles one message and returns the next state and effects.
func (s state) step(at time.Time, m any) (state, []act.Effect) {
	s.now = at
	next, effects := s.react(at, m)
	next, effects = next.weigh(effects)
	return next.settleFreeze(effects)
}

func (s state) react(at time.Time, m any) (state, []act.Effect) {
	switch m := m.(type) {
	case agentUp:
		return s.up(m)
	case agentExited:
		return s.exited(at, m)
	case spoolGrew:
		s.more = true
		if s.credits == 0 {
			return s.measure()
		}
		return s.read(nil)
	case agentStopped:
		s.quota.size = max(m.size, s.quota.size)
		if m.number == s.freezes { // otherwise it was thawed since, and has written
			s.quota.frozen = m.size
		}
	case spoolMeasured:
		s.quota.size, s.quota.measuring = max(m.size, s.quota.size), false
	case linesRead:
		s.quota.size = max(m.size, s.quota.size)
		return s.lines(at, m)
	case tailRead:
		return s.tail(at, m)
	case inputClosed:
		return s.closed(m)
	case stdinDue:
		return s.stdinClosed()
	case pauseOver:
		s.pausing = false
		return s.read(nil)
	case readAgain:
		s.outputUnreadable.waits = false
		return s.read(nil)
	case messages.Credit:
		s.credits += m.Batches
		s.quota.journaled = max(m.Journaled, s.quota.journaled)
		s, effects := s.archive()
		return s.read(effects)
	case WriteInput:
		return s.write(writing{key: m.Key, line: m.Line, long: m.Long})
	case WriteAnswer:
		return s.write(writing{request: m.Request, line: m.Line})
	case WriteControl:
		return s.write(writing{line: m.Line})
	case lineWritten:
		return s.written(m)
	case Freeze:
		return s.want(m), nil
	case Interrupt:
		s.interrupt, s.interrupting = m.ID, true
		s, effects := s.write(writing{line: claude.InterruptLine(m.ID, false)})
		return s, append(effects, act.After{Delay: graceInterrupt, Message: interruptGrace{m.ID}})
	case InterruptDone:
		s.interrupting = false
		if s.interrupt == m.ID {
			s.interrupt = ""
		}
	case quotaGrace:
		return s.interruptTook(), nil
	case interruptGrace:
		if s.interrupt == m.id && s.phase == phaseLive {
			s.interrupt = ""
			return s, []act.Effect{signalIt{syscall.SIGINT}}
		}
	case Stop:
		if s.stopping {
			return s, nil
		}
		s.stopping, s.how = true, m.How
		return s.stop(nil)
	case stopStage:
		return s.stage(m.n)
	}
	return s, nil
}

// up takes the agent, which was spawned or adopted, and sends it the lines that wait.
func (s state) up(m agentUp) (state, []act.Effect) {
	s.record, s.phase, s.more = m.record, phaseLive, true
	s.can = claudecode.Of(m.version)
	effects := []act.Effect{toSession{messages.ProcessStarted{Record: m.record, Adopted: m.adopted, Guard: m.guard, Version: m.version}}}
	if m.adopted && s.reasons == 0 {
		effects = append(effects, thaw{}) // an earlier daemon may have frozen it
	}
	for _, w := range s.unsent {
		effects = append(effects, writeLine{w})
	}
	s.unsent = nil
	if s.stopping {
		return s.stop(effects)
	}
	return s.read(effects)
}

// write queues a line for the pipe. It is written as soon as the pipe is open.
func (s state) write(w writing) (state, []act.Effect) {
	switch s.phase {
	case phaseOpening:
		s.unsent = append(slices.Clip(s.unsent), w)
		return s, nil
	case phaseLive:
		return s, []act.Effect{writeLine{w}}
	case phaseDraining, phaseOver:
	}
	return s.written(lineWritten{what: w, err: os.ErrClosed})
}

// written reports the result of writing a line to the session.
func (s state) written(m lineWritten) (state, []act.Effect) {
	switch {
	case m.long && m.what.key != "":
		return s, []act.Effect{toSession{InputTooLong{Run: s.record.Run, Key: m.what.key}}}
	case m.long: // write it in parts at once, because the turn waits for this line
		m.what.long = true
		return s, []act.Effect{writeLine{m.what}}
	case m.err != nil:
		return s.awaitExit() // RunEnded or StdinClosed follows
	case m.what.key != "":
		return s, []act.Effect{toSession{messages.InputWrittenTo{Run: s.record.Run, Key: m.what.key}}}
	case m.what.request != "":
		return s, []act.Effect{toSession{messages.AnswerWritten{Run: s.record.Run, Request: m.what.request}}}
	}
	return s, nil
}
