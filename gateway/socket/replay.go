package socket

import pb "betcode/proto/betcode/v1"

// replay is the replay of an attached session's history. It translates all events, so that requests
// have the same numbers as before, but does not send lines of events up to from. At the head it
// sends the waiting requests that were not sent, then session_attached; the session is then live.
type replay struct {
	from, head uint64
}

// replayed returns the lines of an event that are sent.
func (s *session) replayed(e *pb.AgentEvent, lines []any) []any {
	r := s.replay
	if seq := e.GetSequence(); seq <= r.from {
		lines = nil
		for _, p := range s.translator.requests.prompts {
			p.shown = false
		}
	}
	if e.GetSequence() < r.head {
		return lines
	}
	return append(lines, s.live()...)
}

// live ends the replay.
func (s *session) live() (lines []any) {
	t, r := s.translator, s.replay
	s.replay = nil
	for _, p := range t.requests.waiting() {
		if !p.shown {
			p.shown = true
			lines = append(lines, p.line)
		}
	}
	now := statusIdle
	if t.busy {
		now = statusProcessing
	}
	return append(lines, attachedLine{head{s.id, "session_attached"}, t.session, r.head, now, s.owner})
}
