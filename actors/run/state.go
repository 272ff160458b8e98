package run

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/control"
	"betcode/actors/internal/spool"
	"betcode/messages"
	"betcode/messages/claudecode"
)

// maxCredits is how many batches of lines a run may have on their way to the
// journal: one that is written, one that is made meanwhile. Each is at most one
// read of the spool, so what a session can have uncommitted is bounded, and a loud
// agent cannot take more than its share of each transaction.
const maxCredits = 2

// The grace given to an agent at each step of being ended.
const (
	graceOrderly   = 3 * time.Second // after end_session, and after SIGTERM
	graceResumable = 5 * time.Second // after SIGTERM, when the daemon ends
	graceTerminate = 10 * time.Second
	graceInterrupt = 5 * time.Second // after an interrupt request, before SIGINT
)

type phase uint8

const (
	phaseOpening  phase = iota // being spawned or adopted
	phaseLive                  // reading on
	phaseDraining              // the process is gone; its spool is read to the end
	phaseOver
)

// state is what one incarnation of the agent process is.
//
//	opening ──► live ──► draining ──► over
//	    │                   ▲
//	    └───────────────────┘  it never came up, or ended unseen
type state struct {
	now        time.Time // of the step under way
	record     messages.RunRecord
	offset     int64 // of the next line to read
	translator claude.State
	phase      phase
	can        claudecode.Capabilities // of the process
	credits    int
	reading    bool
	more       bool      // the spool may hold more than the newest read has seen
	unsent     []writing // lines that wait for the agent to be there
	exit       messages.Exit
	complaint  string // the end of the agent's standard error
	damage     string // why the spool cannot be read any further; the run ends with its process
	stopping   bool
	how        StopKind
	interrupt  string // id of the interrupt that waits for its turn's end

	interrupting bool    // a turn is to be interrupted and has not ended
	reasons      Reasons // the reasons there are to hold the agent
	frozen       Reasons // those for which it is held
	quota        quota
	unread       unread
	rests        bool  // after much was read
	doubted      bool  // it took no line: it has ended, or hears nothing
	archived     int64 // how far its spool is, or was asked to be, archived
}

// control returns the id of a control request of the run's own.
func (s state) control(kind string) string {
	return control.ID(&s.record, kind+"-"+strconv.FormatInt(s.now.UnixNano(), 36))
}

// step takes one message at its time and returns the next state and what to do.
func (s state) step(at time.Time, m any) (state, []act.Effect) {
	s.now = at
	next, effects := s.react(at, m)
	next, effects = next.weigh(effects)
	return next.settleFreeze(effects)
}

func (s state) react(at time.Time, m any) (state, []act.Effect) {
	switch m := m.(type) {
	case agentUp:
		s.record, s.phase, s.more = m.record, phaseLive, true
		s.can = claudecode.Of(m.version)
		effects := []act.Effect{tell{messages.ProcessStarted{Record: m.record, Adopted: m.adopted, Guard: m.guard, Version: m.version}}}
		if m.adopted && s.reasons == 0 {
			effects = append(effects, thaw{}) // an earlier daemon may have held it
		}
		for _, w := range s.unsent {
			effects = append(effects, writeLine{w})
		}
		s.unsent = nil
		if s.stopping {
			return s.stop(effects)
		}
		return s.read(effects)
	case agentExited:
		if s.phase >= phaseDraining {
			return s, nil
		}
		s.phase, s.exit, s.more = phaseDraining, m.exit, true
		if s.damage != "" {
			return s.over(at, nil, s.offset)
		}
		var effects []act.Effect
		if s.stopping || !clean(m.exit) {
			effects = append(effects, killTree{}) // or it would run beside the next agent, and nobody knew of it
		}
		return s.read(effects)
	case spoolGrew:
		s.more = true
		if s.credits == 0 {
			return s.measure()
		}
		return s.read(nil)
	case agentStopped:
		s.quota.frozen, s.quota.size = m.size, max(m.size, s.quota.size)
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
	case restOver:
		s.rests = false
		return s.read(nil)
	case readAgain:
		s.unread.waits = false
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

// clean reports whether an agent ended by itself, with its own house in order, or
// never had one.
func clean(exit messages.Exit) bool {
	return exit.Reason == NeverStarted || (exit.Known && exit.Signal == "" && exit.Code == 0)
}

// read asks for the next lines if there may be some, none are being read, and
// pace and credits allow it. When the last line of an ended run has been handed
// over, the torn rest is read.
func (s state) read(effects []act.Effect) (state, []act.Effect) {
	if s.reading || s.rests || s.unread.waits || s.damage != "" || s.credits == 0 || (s.phase != phaseLive && s.phase != phaseDraining) {
		return s, effects
	}
	switch {
	case s.more:
		s.reading, s.more = true, false // what grows from here on may not be seen by this read
		return s, append(effects, readSpool{})
	case s.phase == phaseDraining:
		s.reading = true
		return s, append(effects, readTail{})
	}
	return s, effects
}

// lines translates a batch and hands it to the session.
func (s state) lines(at time.Time, m linesRead) (state, []act.Effect) {
	s.reading = false
	if s, effects, again := s.unreadable(at, m.err); again {
		return s, effects
	}
	if m.err != nil {
		// Nothing behind this point can be trusted.
		s.damage = "its output cannot be read: " + m.err.Error()
		if s.phase == phaseDraining {
			return s.over(at, nil, s.offset)
		}
		return s, []act.Effect{killTree{}}
	}
	s, effects := s.readable(nil)
	if m.batch.To == m.batch.From {
		return s.read(effects)
	}
	s, effects = s.restAfter(m.batch.More, effects)
	s.more = s.more || m.batch.More || s.phase == phaseDraining // what a living agent adds is told by a notice
	items := make([]claude.Item, 0, len(m.batch.Lines)+1)
	for _, line := range m.batch.Lines {
		if line.Cut {
			var out []claude.Item
			s.translator, out = claude.TranslateTorn(s.translator, kept(line), at)
			items = append(items, out...)
			continue
		}
		s.translator, items = claude.AppendTranslated(items, s.translator, line.Bytes, at)
	}
	return s.handOver(effects, m.batch.From, m.batch.To, items)
}

func (s state) handOver(effects []act.Effect, from, to int64, items []claude.Item) (state, []act.Effect) {
	s.offset = to
	s.credits--
	return s.read(append(effects, tell{Output{
		Run: s.record.Run, From: from, To: to, Items: items, Translator: s.translator.Marshal(),
	}}))
}

// kept is what there is of a line that is torn, or too long to be kept.
func kept(line spool.Line) []byte {
	if line.Cut {
		return fmt.Appendf(nil, "a line of %d bytes was cut out", line.Size)
	}
	return line.Bytes
}

// tail ends the run: the torn last line, if there is one, becomes an event.
func (s state) tail(at time.Time, m tailRead) (state, []act.Effect) {
	if s, effects, again := s.unreadable(at, m.err); again {
		s.reading = false
		return s, effects
	}
	if m.err != nil {
		s.damage = "the end of its output cannot be read: " + m.err.Error()
	}
	s.complaint = m.complaint
	var items []claude.Item
	to := s.offset
	for _, line := range m.batch.Lines {
		s.translator, items = claude.TranslateTorn(s.translator, kept(line), at)
		to = m.batch.To
	}
	return s.over(at, items, to)
}

// over hands over the last items, ends what the agent left open, and says that
// the run has ended.
func (s state) over(at time.Time, items []claude.Item, to int64) (state, []act.Effect) {
	if s.damage != "" {
		s.exit = messages.Exit{Reason: s.damage, At: at}
	}
	translator, ends := claude.EndRun(s.translator, at)
	s.translator, s.reading, s.phase = translator, false, phaseOver
	s, effects := s.readable(nil)
	s, effects = s.handOver(effects, s.offset, to, append(items, ends...))
	return s, append(effects, closeAgent{}, tell{messages.RunEnded{Run: s.record.Run, Exit: s.exit, Complaint: s.complaint}})
}

// write puts a line on its way into the pipe, as soon as there is one.
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

// written tells the session what became of a line.
func (s state) written(m lineWritten) (state, []act.Effect) {
	switch {
	case m.long && m.what.key != "":
		return s, []act.Effect{tell{InputTooLong{Run: s.record.Run, Key: m.what.key}}}
	case m.long: // the turn waits for it, so there is no better moment
		m.what.long = true
		return s, []act.Effect{writeLine{m.what}}
	case m.err != nil:
		return s.awaitExit() // RunEnded or StdinClosed follows
	case m.what.key != "":
		return s, []act.Effect{tell{messages.InputWrittenTo{Run: s.record.Run, Key: m.what.key}}}
	case m.what.request != "":
		return s, []act.Effect{tell{messages.AnswerWritten{Run: s.record.Run, Request: m.what.request}}}
	}
	return s, nil
}

// stop begins the ladder by which an agent is ended.
func (s state) stop(effects []act.Effect) (state, []act.Effect) {
	switch {
	case s.phase != phaseLive:
		return s, effects // when it comes up, or when it has ended
	case s.how == StopKill || s.reasons&Alarm != 0:
		return s, append(effects, killTree{})
	case s.how == StopResumable:
		return s, append(effects, signalIt{syscall.SIGTERM}, act.After{Delay: graceResumable, Message: stopStage{2}})
	case s.how == StopTerminate:
		return s, append(effects, signalIt{syscall.SIGTERM}, act.After{Delay: graceTerminate, Message: stopStage{2}})
	default:
		return s, append(effects, writeLine{writing{line: claude.EndSessionLine(s.control("end-session"), s.can)}}, act.After{Delay: graceOrderly, Message: stopStage{1}})
	}
}

func (s state) stage(n int) (state, []act.Effect) {
	if s.phase != phaseLive {
		return s, nil
	}
	if n == 1 {
		return s, []act.Effect{signalIt{syscall.SIGTERM}, act.After{Delay: graceOrderly, Message: stopStage{2}}}
	}
	return s, []act.Effect{killTree{}}
}
