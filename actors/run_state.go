package actors

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/spool"
	"betcode/messages"
	"betcode/messages/claudecode"
)

// runCredits is how many batches of lines a run may have on their way to the
// journal: one that is written, one that is made meanwhile. Each is at most one
// read of the spool, so what a session can have uncommitted is bounded, and a loud
// agent cannot take more than its share of each transaction.
const runCredits = 2

// The grace given to an agent at each step of being ended.
const (
	graceOrderly   = 3 * time.Second // after end_session, and after SIGTERM
	graceResumable = 5 * time.Second // after SIGTERM, when the daemon ends
	graceInterrupt = 5 * time.Second // after an interrupt request, before SIGINT
)

type runPhase uint8

const (
	runOpening  runPhase = iota // being spawned or adopted
	runLive                     // reading on
	runDraining                 // the process is gone; its spool is read to the end
	runOver
)

// runState is what one incarnation of the agent process is.
//
//	opening ──► live ──► draining ──► over
//	    │                   ▲
//	    └───────────────────┘  it never came up, or ended unseen
type runState struct {
	now        time.Time // of the step under way
	record     messages.RunRecord
	offset     int64 // of the next line to read
	translator claude.State
	phase      runPhase
	can        claudecode.Capabilities // of the process
	credits    int
	reading    bool
	more       bool      // the spool may hold more than the newest read has seen
	unsent     []writing // lines that wait for the agent to be there
	exit       messages.Exit
	complaint  string // the end of the agent's standard error
	damage     string // why the spool cannot be read any further; the run ends with its process
	stopping   bool
	how        stopKind
	interrupt  string // id of the interrupt that waits for its turn's end

	interrupting bool  // a turn is to be interrupted and has not ended
	holds        holds // the reasons there are to hold the agent
	held         holds // those for which it is held
	quota        quota
	unread       unread
	rests        bool  // after much was read
	doubted      bool  // it took no line: it has ended, or hears nothing
	archived     int64 // how far its spool is, or was asked to be, archived
}

// control returns the id of a control request of the run's own.
func (s runState) control(kind string) string {
	return controlID(&s.record, kind+"-"+strconv.FormatInt(s.now.UnixNano(), 36))
}

// step takes one message at its time and returns the next state and what to do.
func (s runState) step(at time.Time, m any) (runState, []effect) {
	s.now = at
	next, effects := s.react(at, m)
	next, effects = next.weigh(effects)
	return next.settleHold(effects)
}

func (s runState) react(at time.Time, m any) (runState, []effect) {
	switch m := m.(type) {
	case agentUp:
		s.record, s.phase, s.more = m.record, runLive, true
		s.can = claudecode.Of(m.version)
		effects := []effect{tellSession{messages.ProcessStarted{Record: m.record, Adopted: m.adopted, Guard: m.guard, Version: m.version}}}
		if m.adopted && s.holds == 0 {
			effects = append(effects, thawAgent{}) // an earlier daemon may have held it
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
		if s.phase >= runDraining {
			return s, nil
		}
		s.phase, s.exit, s.more = runDraining, m.exit, true
		if s.damage != "" {
			return s.over(at, nil, s.offset)
		}
		var effects []effect
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
	case agentFrozen:
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
	case deafDue:
		return s.deaf()
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
	case writeInput:
		return s.write(writing{key: m.key, line: m.line, long: m.long})
	case writeAnswer:
		return s.write(writing{request: m.request, line: m.line})
	case writeControl:
		return s.write(writing{line: m.line})
	case lineWritten:
		return s.written(m)
	case holdAgent:
		return s.hold(m), nil
	case interruptTurn:
		s.interrupt, s.interrupting = m.id, true
		s, effects := s.write(writing{line: claude.InterruptLine(m.id, false)})
		return s, append(effects, wakeAfter{graceInterrupt, interruptGrace(m)})
	case interruptSettled:
		s.interrupting = false
		if s.interrupt == m.id {
			s.interrupt = ""
		}
	case quotaGrace:
		return s.interruptTook(), nil
	case interruptGrace:
		if s.interrupt == m.id && s.phase == runLive {
			s.interrupt = ""
			return s, []effect{signalIt{syscall.SIGINT}}
		}
	case stopAgent:
		if s.stopping {
			return s, nil
		}
		s.stopping, s.how = true, m.how
		return s.stop(nil)
	case stopStage:
		return s.stage(m.n)
	}
	return s, nil
}

// clean reports whether an agent ended by itself, with its own house in order, or
// never had one.
func clean(exit messages.Exit) bool {
	return exit.Reason == neverStarted || (exit.Known && exit.Signal == "" && exit.Code == 0)
}

// read asks for the next lines if there may be some, none are being read, and
// pace and credits allow it. When the last line of an ended run has been handed
// over, the torn rest is read.
func (s runState) read(effects []effect) (runState, []effect) {
	if s.reading || s.rests || s.unread.waits || s.damage != "" || s.credits == 0 || (s.phase != runLive && s.phase != runDraining) {
		return s, effects
	}
	switch {
	case s.more:
		s.reading, s.more = true, false // what grows from here on may not be seen by this read
		return s, append(effects, readSpool{})
	case s.phase == runDraining:
		s.reading = true
		return s, append(effects, readTail{})
	}
	return s, effects
}

// lines translates a batch and hands it to the session.
func (s runState) lines(at time.Time, m linesRead) (runState, []effect) {
	s.reading = false
	if s, effects, again := s.unreadable(at, m.err); again {
		return s, effects
	}
	if m.err != nil {
		// Nothing behind this point can be trusted.
		s.damage = "its output cannot be read: " + m.err.Error()
		if s.phase == runDraining {
			return s.over(at, nil, s.offset)
		}
		return s, []effect{killTree{}}
	}
	s, effects := s.readable(nil)
	if m.batch.To == m.batch.From {
		return s.read(effects)
	}
	s, effects = s.restAfter(m.batch.More, effects)
	s.more = s.more || m.batch.More || s.phase == runDraining // what a living agent adds is told by a notice
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

func (s runState) handOver(effects []effect, from, to int64, items []claude.Item) (runState, []effect) {
	s.offset = to
	s.credits--
	return s.read(append(effects, tellSession{agentOutput{
		run: s.record.Run, from: from, to: to, items: items, translator: s.translator.Marshal(),
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
func (s runState) tail(at time.Time, m tailRead) (runState, []effect) {
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
func (s runState) over(at time.Time, items []claude.Item, to int64) (runState, []effect) {
	if s.damage != "" {
		s.exit = messages.Exit{Reason: s.damage, At: at}
	}
	translator, ends := claude.EndRun(s.translator, at)
	s.translator, s.reading, s.phase = translator, false, runOver
	s, effects := s.readable(nil)
	s, effects = s.handOver(effects, s.offset, to, append(items, ends...))
	return s, append(effects, closeAgent{}, tellSession{messages.RunEnded{Run: s.record.Run, Exit: s.exit, Complaint: s.complaint}})
}

// write puts a line on its way into the pipe, as soon as there is one.
func (s runState) write(w writing) (runState, []effect) {
	switch s.phase {
	case runOpening:
		s.unsent = append(slices.Clip(s.unsent), w)
		return s, nil
	case runLive:
		return s, []effect{writeLine{w}}
	case runDraining, runOver:
	}
	return s.written(lineWritten{what: w, err: os.ErrClosed})
}

// written tells the session what became of a line.
func (s runState) written(m lineWritten) (runState, []effect) {
	switch {
	case m.long && m.what.key != "":
		return s, []effect{tellSession{inputTooLong{run: s.record.Run, key: m.what.key}}}
	case m.long: // the turn waits for it, so there is no better moment
		m.what.long = true
		return s, []effect{writeLine{m.what}}
	case m.err != nil:
		return s.doubt([]effect{tellSession{messages.WriteFailed{Run: s.record.Run, What: m.what.key + string(m.what.request), Err: m.err}}})
	case m.what.key != "":
		return s, []effect{tellSession{messages.InputWrittenTo{Run: s.record.Run, Key: m.what.key}}}
	case m.what.request != "":
		return s, []effect{tellSession{messages.AnswerWritten{Run: s.record.Run, Request: m.what.request}}}
	}
	return s, nil
}

// stop begins the ladder by which an agent is ended.
func (s runState) stop(effects []effect) (runState, []effect) {
	switch {
	case s.phase != runLive:
		return s, effects // when it comes up, or when it has ended
	case s.how == stopKill || s.holds&holdAlarm != 0:
		return s, append(effects, killTree{})
	case s.how == stopResumable:
		return s, append(effects, signalIt{syscall.SIGTERM}, wakeAfter{graceResumable, stopStage{2}})
	default:
		return s, append(effects, writeLine{writing{line: claude.EndSessionLine(s.control("end-session"), s.can)}}, wakeAfter{graceOrderly, stopStage{1}})
	}
}

func (s runState) stage(n int) (runState, []effect) {
	if s.phase != runLive {
		return s, nil
	}
	if n == 1 {
		return s, []effect{signalIt{syscall.SIGTERM}, wakeAfter{graceOrderly, stopStage{2}}}
	}
	return s, []effect{killTree{}}
}
