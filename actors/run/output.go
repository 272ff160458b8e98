package run

import (
	"fmt"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/spool"
	"betcode/messages"
)

// read requests the next lines if there may be some, no read is under way, and
// pauses and credits allow it. When the last line of an ended run has been sent to
// the session, read requests the torn rest.
func (s state) read(effects []act.Effect) (state, []act.Effect) {
	if s.reading || s.pausing || s.outputUnreadable.waits || s.damage != "" || s.credits == 0 || (s.phase != phaseLive && s.phase != phaseDraining) {
		return s, effects
	}
	switch {
	case s.more:
		s.reading, s.more = true, false // the read may miss growth from here on
		return s, append(effects, readSpool{})
	case s.phase == phaseDraining:
		s.reading = true
		return s, append(effects, readTail{})
	}
	return s, effects
}

// lines translates a batch and sends it to the session.
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
	s, effects = s.pauseAfter(m.batch.More, effects)
	s.more = s.more || m.batch.More || s.phase == phaseDraining // the watcher reports what a live agent adds
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
	return s.sendOutput(effects, m.batch.From, m.batch.To, items)
}

func (s state) sendOutput(effects []act.Effect, from, to int64, items []claude.Item) (state, []act.Effect) {
	s.offset = to
	s.credits--
	return s.read(append(effects, toSession{Output{
		Run: s.record.Run, From: from, To: to, Items: items, Translator: s.translator.Marshal(),
	}}))
}

// kept returns the beginning of a line that is torn or too long.
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
	s.stderr = m.stderr
	var items []claude.Item
	to := s.offset
	for _, line := range m.batch.Lines {
		s.translator, items = claude.TranslateTorn(s.translator, kept(line), at)
		to = m.batch.To
	}
	return s.over(at, items, to)
}

// over sends the last items to the session, ends calls and messages that the agent left open, and
// reports the end of the run.
func (s state) over(at time.Time, items []claude.Item, to int64) (state, []act.Effect) {
	if s.damage != "" {
		s.exit = messages.Exit{Reason: s.damage, At: at}
	}
	translator, ends := claude.EndRun(s.translator, at)
	s.translator, s.reading, s.phase = translator, false, phaseOver
	s, effects := s.readable(nil)
	s, effects = s.sendOutput(effects, s.offset, to, append(items, ends...))
	return s, append(effects, closeAgent{}, toSession{messages.RunEnded{Run: s.record.Run, Exit: s.exit, Complaint: s.stderr}})
}
