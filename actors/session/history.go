package session

import (
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/retention"
	"betcode/messages"
)

// trimHistory moves the low-water mark: events up to it cannot be read any more. It does not change UpdatedAt, because no client
// used the session.
func (t *transition) trimHistory(from *actor.PID, m messages.TrimHistory) {
	if !t.known(from, "trim history") {
		return
	}
	if p := &t.s.record.Past; m.To > p.LowWater && m.To <= t.s.record.Head {
		p.LowWater, p.LowWaterBytes = m.To, m.Bytes
		t.notice(retention.NoticeDropped, "Older history was given up, as the settings want it", map[string]string{
			"up_to": strconv.FormatUint(uint64(m.To), 10), "reason": m.Reason,
		})
	}
	t.then(act.Reply{To: from, With: messages.Done{}})
	t.maybeRetire()
}

// compactable reports whether there is an exchange since the last compaction.
func (s *state) compactable() bool {
	p := &s.record.Past
	return p.Exchange.Seq > p.Boundary.Seq
}

// overThreshold reports whether the context is to be compacted. What is left of
// one counts too: if that is much, the next is due when it has doubled.
func (s *state) overThreshold() bool {
	p := &s.record.Past
	limit := max(s.options.CompactThreshold, 2*p.Compaction.TokensAfter)
	return s.options.CompactThreshold > 0 && p.ContextTokens > limit
}

// nothingToCompact is the answer where there is nothing since the last time.
func (s *state) nothingToCompact() messages.SessionCompacted {
	p := &s.record.Past
	kept := s.record.Messages - p.Boundary.Messages
	return messages.SessionCompacted{
		Done: true, Boundary: p.Boundary.Seq, MessagesBefore: kept, MessagesAfter: kept,
		TokensBefore: p.ContextTokens, TokensAfter: p.ContextTokens,
	}
}

// exchangeBegins notes where an exchange begins: with what ends the idleness.
func (t *transition) exchangeBegins() {
	if !t.s.busy() || (t.s.compacting() && !t.s.record.Turn && len(t.s.inputs) == 1) {
		t.change().Past.Begun = messages.Place{Seq: t.s.record.Head, Messages: t.s.record.Messages}
	}
}

// exchangeEnds notes that there is a complete exchange, and how much the model
// has to read by now.
func (t *transition) exchangeEnds(m claude.TurnEnded) {
	p := &t.change().Past
	if m.ContextTokens > 0 {
		p.ContextTokens = m.ContextTokens
	}
	if m.ContextWindow > 0 {
		p.ContextWindow = m.ContextWindow
	}
	if !m.IsError && !m.LocalCommand && m.StopReason == "end_turn" && !t.s.compacting() {
		p.Exchange, t.s.compaction.due = p.Begun, true
	}
}
