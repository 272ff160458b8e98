package claude

// delta has the members of a line with a piece of a block being streamed. Most lines are of
// this kind. They are parsed by hand, because the general decoder takes three times as
// long. A line with anything unusual (other members, members twice, an escape beyond the
// plainest) is left to the decoder; FuzzDelta checks that both give the same result.
type delta struct {
	session, parent, message []byte // shared with the line
	index                    int
	piece                    streamDelta
}

// The members that a line of a delta may have, each once.
const (
	hasType = 1 << iota
	hasEvent
	hasSession
	hasParent
	hasUUID
	hasMessage
	hasIndex
	hasDelta
	hasText
	hasThinking
	hasJSON
)

// scanDelta parses a line, which must be valid UTF-8. If the line is not plainly a delta,
// it returns false, and d is meaningless.
func scanDelta(raw []byte, d *delta) bool {
	s := scanner{text: raw}
	has, ok := s.members(func(name []byte) (int, bool) {
		var ok bool
		switch string(name) {
		case "type":
			return hasType, s.is("stream_event")
		case "event":
			return hasEvent, d.event(&s)
		case "session_id":
			d.session, ok = s.plain()
			return hasSession, ok
		case "parent_tool_use_id":
			d.parent, ok = s.plainOrNull()
			return hasParent, ok
		case "uuid":
			_, ok = s.plain()
			return hasUUID, ok
		case "api_message_id":
			d.message, ok = s.plain()
			return hasMessage, ok
		}
		return 0, false
	})
	return ok && s.at == len(raw) && has&(hasType|hasEvent) == hasType|hasEvent
}

func (d *delta) event(s *scanner) bool {
	has, ok := s.members(func(name []byte) (int, bool) {
		var ok bool
		switch string(name) {
		case "type":
			return hasType, s.is("content_block_delta")
		case "index":
			d.index, ok = s.number()
			return hasIndex, ok
		case "delta":
			return hasDelta, d.delta(s)
		}
		return 0, false
	})
	return ok && has&(hasType|hasDelta) == hasType|hasDelta
}

func (d *delta) delta(s *scanner) bool {
	has, ok := s.members(func(name []byte) (int, bool) {
		var ok bool
		switch string(name) {
		case "type":
			kind, ok := s.plain()
			d.piece.Type = pieceType(kind)
			return hasType, ok && d.piece.Type != ""
		case "text":
			d.piece.Text, ok = s.copied()
			return hasText, ok
		case "thinking":
			d.piece.Thinking, ok = s.copied()
			return hasThinking, ok
		case "partial_json":
			d.piece.JSON, ok = s.copied()
			return hasJSON, ok
		}
		return 0, false
	})
	return ok && has&hasType != 0
}

// pieceType returns the name of a frequent kind without an allocation, empty for other
// kinds.
func pieceType(kind []byte) string {
	for _, known := range [...]string{"text_delta", "thinking_delta", "input_json_delta"} {
		if string(kind) == known {
			return known
		}
	}
	return ""
}

// fill writes the members where the decoder would have written them. The ids are mostly
// those of the line before, which s has.
func (d *delta) fill(l *line, s *State) {
	l.Type = "stream_event"
	l.Session = same(d.session, s.d.Session)
	l.Parent = string(d.parent)
	if i := s.findMessage(string(d.message), ""); len(d.message) > 0 && i >= 0 {
		l.APIMessage = s.d.Messages[i].ID
	} else {
		l.APIMessage = string(d.message)
	}
	l.Event.Type, l.Event.Index, l.Event.Delta = "content_block_delta", float64(d.index), &d.piece
}

// clear undoes fill.
func (d *delta) clear(l *line) {
	l.Type, l.Session, l.Parent, l.APIMessage = "", "", "", ""
	l.Event.Type, l.Event.Index, l.Event.Delta = "", 0, nil
}

// same returns known if it equals b, otherwise a copy of b.
func same(b []byte, known string) string {
	if string(b) == known {
		return known
	}
	return string(b)
}
