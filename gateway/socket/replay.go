package socket

import pb "betcode/proto/betcode/v1"

// replay brings an attached session from the beginning of its history to the present. All events
// are translated, so that requests have the numbers that they had before; lines of events up to
// from are not sent. At the head, the requests that wait and were not sent follow, then
// session_attached; from then on the session is live.
type replay struct {
	from, head uint64
}

// replayed returns those of the lines of an event that are sent.
func (s *session) replayed(e *pb.AgentEvent, lines []any) []any {
	r := s.replay
	if seq := e.GetSequence(); seq <= r.from {
		lines = nil
		for _, p := range s.translator.book.prompts {
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
	for _, p := range t.book.waiting() {
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
